import { type ReactNode, useState } from 'react';
import { Dialog } from '../../../kit/design/dialog';
import f from '../../parts/field.module.css';
import { count } from '../../parts/format';
import { Action } from '../../parts/parts';
import d from '../desk/desk.module.css';
import { type BulkEdit, bulkEdits } from './bulk-edits';
import type { Draft, Edit } from './draft';
import { BadFormula, type Rounding } from './formula';
import s from './products.module.css';
import type { ProductGroups, ProductRow } from './queries';
import { goodsTexts as p, bulkTexts as w } from './texts/ru';

type Kind = keyof typeof w.actions;

/** One action on every chosen product. It changes the draft alone. */
export function Bulk({
  rows,
  groups,
  draft,
  edit,
  close,
}: {
  /** How many products, and how to have them. */
  rows: { count: number; all: () => Promise<ProductRow[]> };
  groups: ProductGroups;
  draft: Draft;
  edit: (edits: Edit[]) => void;
  close: () => void;
}) {
  const [kind, setKind] = useState<Kind>('price');
  const [text, setText] = useState('price * 1.1');
  const [step, setStep] = useState(10);
  const [how, setHow] = useState<Rounding>('nearest');
  const [open, setOpen] = useState(true);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState('');
  const formula = kind === 'price' || kind === 'discounted_price' || kind === 'on_hand';
  const choose = (next: Kind) => {
    setKind(next);
    setWrong('');
    setText(
      next === 'price' || next === 'discounted_price' ? 'price * 0.9' : next === 'on_hand' ? 'stock + 0' : '',
    );
  };
  const act = async () => {
    const action: BulkEdit = formula
      ? { kind: 'formula', field: kind, formula: text, step: kind === 'on_hand' ? 1 : step, how }
      : kind === 'mark' || kind === 'unmark'
        ? { kind, mark: text }
        : { kind: 'set', field: kind, text };
    setBusy(true);
    try {
      edit(bulkEdits(await rows.all(), draft, action, groups));
      setOpen(false);
    } catch (error) {
      setWrong(error instanceof BadFormula ? w.badFormula(error.at + 1) : String((error as Error).message));
    } finally {
      setBusy(false);
    }
  };
  const choices: Partial<Record<Kind, [string, string][]>> = {
    category_id: named(groups, 'categories'),
    brand_id: [['', p.noBrand], ...named(groups, 'brands')],
    mark: named(groups, 'marks'),
    unmark: named(groups, 'marks'),
    archived: [
      ['true', w.archive],
      ['false', w.restore],
    ],
  };
  const chosenFrom = choices[kind];
  return (
    <Dialog open={open} onClose={close} label={w.title}>
      <form
        className={d.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void act();
        }}
      >
        <h2 className={s.dialogTitle}>{w.title}</h2>
        <p>{w.chosen(count(rows.count))}</p>
        <Labelled label={w.action}>
          <select data-first value={kind} onChange={({ target }) => choose(target.value as Kind)}>
            {Object.entries(w.actions).map(([key, said]) => (
              <option key={key} value={key}>
                {said}
              </option>
            ))}
          </select>
        </Labelled>
        {formula ? (
          <>
            <Labelled label={w.formula}>
              <input
                value={text}
                maxLength={200}
                required
                aria-invalid={wrong !== ''}
                aria-describedby="bulk-formula"
                onChange={({ target }) => setText(target.value)}
              />
            </Labelled>
            <p id="bulk-formula" className={d.quiet}>
              {w.formulaHint}
            </p>
          </>
        ) : null}
        {formula && kind !== 'on_hand' ? (
          <>
            <Labelled label={w.step}>
              <select value={step} onChange={({ target }) => setStep(Number(target.value))}>
                {[1, 5, 10, 50, 100, 500, 1000].map((one) => (
                  <option key={one} value={one}>
                    {count(one)}
                  </option>
                ))}
              </select>
            </Labelled>
            <Labelled label={w.how}>
              <select value={how} onChange={({ target }) => setHow(target.value as Rounding)}>
                {Object.entries(w.ways).map(([key, said]) => (
                  <option key={key} value={key}>
                    {said}
                  </option>
                ))}
              </select>
            </Labelled>
          </>
        ) : null}
        {chosenFrom ? (
          <Labelled label={w.value}>
            <select
              key={kind}
              required={kind !== 'brand_id'}
              value={text}
              onChange={({ target }) => setText(target.value)}
            >
              {kind === 'brand_id' ? null : <option value="" />}
              {chosenFrom.map(([key, said]) => (
                <option key={key} value={key}>
                  {said}
                </option>
              ))}
            </select>
          </Labelled>
        ) : null}
        {kind === 'shelf' || kind === 'low_line' ? (
          <Labelled label={w.value}>
            <input value={text} maxLength={20} onChange={({ target }) => setText(target.value)} />
          </Labelled>
        ) : null}
        <p role="alert" className={d.failed}>
          {wrong}
        </p>
        <div className={d.actions}>
          <Action type="submit" kind="strong" aria-disabled={busy}>
            {busy ? w.working : w.apply}
          </Action>
        </div>
      </form>
    </Dialog>
  );
}

const named = (groups: ProductGroups, kind: keyof ProductGroups): [string, string][] =>
  groups[kind].filter(({ archived }) => !archived).map(({ id, name }) => [id, name]);

const Labelled = ({ label, children }: { label: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the field is the child
  <label className={f.field}>
    {label}
    {children}
  </label>
);
