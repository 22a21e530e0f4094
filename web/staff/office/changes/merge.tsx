import { useState } from 'react';
import { createPortal } from 'react-dom';
import { isRecord, Problem } from '../../../kit/api/problem';
import { Dialog } from '../../../kit/design/dialog';
import { Action } from '../../parts/parts';
import d from '../desk/desk.module.css';
import { type Accepted, type ItemResult, type Proposal, propose } from '../products/changes';
import s from './changes.module.css';
import { changeTexts as w } from './texts/ru';
import { alike, type Both, taking, threeWay } from './three-way';
import { fieldName, said, useCalled } from './value';

/** What became of each item of a proposal that was refused; none where the refusal names no items. */
export function resultsOf(error: unknown): ItemResult[] {
  const body = error instanceof Problem && error.status === 409 ? error.body : undefined;
  return isRecord(body) && Array.isArray(body.results) ? (body.results as ItemResult[]) : [];
}

/** Whether somebody else's values are all that is in the way. */
const isMergeable = (results: ItemResult[]) =>
  results.some(({ outcome }) => outcome === 'conflict') &&
  results.every(({ outcome }) => outcome !== 'refused');

/** Whether the values in the way are those that the proposal was made of: to propose it over them once more would change nothing. */
const isSeen = ({ items }: Proposal, results: ItemResult[]) =>
  results.some(({ outcome, found }, at) => outcome === 'conflict' && alike(found, items[at]?.was));

type Item = Proposal['items'][number];
/** A member of an item that two people changed; at is the item's place in the proposal. */
type Asked = Both & { at: number };

/** A proposal over what others saved meanwhile, and what is still to be asked. */
function over(proposal: Proposal, results: ItemResult[]): { merged: Proposal; asked: Asked[] } {
  const asked: Asked[] = [];
  const items = proposal.items.map((item, at): Item => {
    const { outcome, found } = results[at] ?? {};
    if (outcome !== 'conflict') return item;
    const { merged, both } = threeWay(item.was, item.now, found);
    asked.push(...both.map((one) => ({ ...one, at })));
    return { ...item, was: found, now: merged as Item['now'] };
  });
  return { merged: { ...proposal, items }, asked };
}

/** A merged proposal without the items in which all that others saved stays. */
const stillChanging = (merged: Proposal, results: ItemResult[]): Proposal => ({
  ...merged,
  items: merged.items.filter(({ was, now }, at) => results[at]?.outcome !== 'conflict' || !alike(was, now)),
});

type Question = { both: Choice[]; answer: (theirs: boolean[] | undefined) => void };
/** A member of which two values are possible. */
type Choice = { label: string; field?: string; mine: unknown; theirs: unknown };

/** Asks for members that two people changed which value stays; the caller draws the dialog. */
export function useWhichStays() {
  const [question, setQuestion] = useState<Question>();
  /** For each whether the other one's value stays; undefined: the dialog was closed. */
  const ask = async (both: Choice[]): Promise<boolean[] | undefined> => {
    if (both.length === 0) return [];
    const theirs = await new Promise<boolean[] | undefined>((answer) => setQuestion({ both, answer }));
    setQuestion(undefined);
    return theirs;
  };
  return { ask, dialog: question ? <WhichStays {...question} /> : null };
}

/** A member's name in a dialog. */
export const labelOf = (field: string, path: string[]): string =>
  [field, ...path].map((one) => fieldName(one)).join(': ');

/**
 * Proposes changes field by field. What others saved meanwhile and these items do not change stays theirs. Where both changed
 * one field, the dialog asks which value stays; the caller draws it.
 */
export function useMerging() {
  const { ask, dialog } = useWhichStays();
  /** Undefined: nothing was left to change, because all that others saved was kept. Throws when the question is closed. */
  const merge = async (proposal: Proposal): Promise<Accepted | undefined> => {
    try {
      return await propose(proposal);
    } catch (error) {
      const results = resultsOf(error);
      if (!isMergeable(results) || isSeen(proposal, results)) throw error;
      const { merged, asked } = over(proposal, results);
      const theirs = await ask(
        asked.map((one) => {
          const field = merged.items[one.at]?.field ?? '';
          return { ...one, label: labelOf(field, one.path), field: one.path.at(-1) ?? field };
        }),
      );
      if (!theirs) throw error;
      const items = merged.items.map((item, at) => ({
        ...item,
        now: asked.reduce<unknown>(
          (now, one, n) => (one.at === at && theirs[n] ? taking(now, one, item.was) : now),
          item.now,
        ) as Item['now'],
      }));
      const left = stillChanging({ ...merged, items }, results);
      return left.items.length > 0 ? merge(left) : undefined;
    }
  };
  return { merge, dialog };
}

function WhichStays({ both, answer }: Question) {
  const [open, setOpen] = useState(true);
  const [theirs, setTheirs] = useState<Record<number, boolean>>({});
  const called = useCalled(both.flatMap(({ field }) => field ?? []));
  // It may be drawn within a form, and is one itself.
  return createPortal(
    <Dialog open={open} onClose={() => answer(undefined)} label={w.mergeTitle} place="wide">
      <form
        className={d.form}
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          answer(both.map((_, n) => theirs[n] ?? false));
          setOpen(false);
        }}
      >
        <h2>{w.mergeTitle}</h2>
        <p>{w.mergeLead}</p>
        {both.map(({ label, field, mine, theirs: saved }, n) => {
          const choices: [boolean, string, unknown][] = [
            [false, w.mine, mine],
            [true, w.theirs, saved],
          ];
          return (
            <fieldset key={label} className={s.choice}>
              <legend>{label}</legend>
              {choices.map(([isTheirs, name, value]) => (
                <label key={name}>
                  <input
                    type="radio"
                    name={`stays-${n}`}
                    required
                    checked={theirs[n] === isTheirs}
                    onChange={() => setTheirs({ ...theirs, [n]: isTheirs })}
                  />
                  <span>
                    <strong>{name}</strong> {said(value, field, called)}
                  </span>
                </label>
              ))}
            </fieldset>
          );
        })}
        <div className={d.actions}>
          <Action type="submit" kind="strong">
            {w.keepChosen}
          </Action>
        </div>
      </form>
    </Dialog>,
    document.body,
  );
}
