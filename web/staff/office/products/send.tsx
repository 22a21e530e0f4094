import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../kit/design/dialog';
import { Link } from '../../../kit/design/link';
import { useNavigate } from '../../../kit/router/router';
import { Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { words } from '../../api/client';
import { useMay } from '../../me';
import f from '../../parts/field.module.css';
import { count } from '../../parts/format';
import { Action, Confirm } from '../../parts/parts';
import { Ask } from '../changes/effect';
import type { EffectDays } from '../changes/queries';
import { refusal } from '../changes/value';
import d from '../desk/desk.module.css';
import {
  type Accepted,
  dryEffect,
  dryRun,
  type ItemResult,
  momentOf,
  type Proposal,
  previewOf,
  propose,
} from './changes';
import { columns } from './columns';
import { type Draft, type Item, itemsOf, sizeOf } from './draft';
import type { Value } from './fields';
import s from './products.module.css';
import type { ProductGroups } from './queries';
import { goodsTexts, sendTexts as w } from './texts/ru';

type Props = {
  draft: Draft;
  /** Whether the draft stays when the page is closed. */
  fits: boolean;
  groups: ProductGroups;
  drop: (ids: Iterable<string>) => void;
  clear: () => void;
};

/** Says what is changed and not sent yet, and sends it. */
export function SendBar({ draft, fits, groups, drop, clear }: Props) {
  const [sending, setSending] = useState(false);
  const [discarding, setDiscarding] = useState(false);
  const [sent, setSent] = useState<Accepted>();
  const size = sizeOf(draft);
  return (
    <>
      {sent ? (
        <div className={d.told} role="status">
          {sent.status === 'waiting' ? w.waits : w.sent}.{' '}
          <Link to={`/admin/changes/${sent.id}`}>{w.open}</Link>{' '}
          {sent.status === 'waiting' || sent.status === 'planned' ? (
            <Link to={previewOf(sent.id ?? '')}>{w.preview}</Link>
          ) : null}
        </div>
      ) : null}
      {size.values > 0 ? (
        <section className={s.send} aria-label={w.draft(count(size.products), count(size.values))}>
          <p>
            {w.draft(count(size.products), count(size.values))}
            {size.wrong > 0 ? <span className={s.wrong}> {w.wrong(count(size.wrong))}</span> : null}
            {fits ? null : <span className={s.wrong}> {w.notKept}</span>}
          </p>
          <div className={d.actions}>
            <Action onClick={() => setDiscarding(true)}>{w.discard}</Action>
            <Action kind="strong" disabled={size.wrong > 0} onClick={() => setSending(true)}>
              {w.review}
            </Action>
          </div>
        </section>
      ) : null}
      {discarding ? (
        <Confirm
          title={w.discard}
          button={w.discard}
          danger
          act={async () => clear()}
          close={() => setDiscarding(false)}
        >
          <p>{w.discardWhy}</p>
        </Confirm>
      ) : null}
      {sending ? (
        <Send
          draft={draft}
          groups={groups}
          sent={(accepted, items) => {
            const left = new Set(items.filter((_, n) => accepted.results[n]?.code).map(({ id }) => id));
            drop(new Set(items.map(({ id }) => id).filter((id) => !left.has(id))));
            setSent(accepted);
          }}
          close={() => setSending(false)}
        />
      ) : null}
    </>
  );
}

function Send({
  draft,
  groups,
  sent,
  close,
}: Pick<Props, 'draft' | 'groups'> & {
  sent: (accepted: Accepted, items: Item[]) => void;
  close: () => void;
}) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState(true);
  const [items] = useState(() => itemsOf(draft));
  const [title, setTitle] = useState(w.titleAuto(count(Object.keys(draft).length)));
  const [reason, setReason] = useState('');
  const [at, setAt] = useState('');
  const [until, setUntil] = useState('');
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState('');
  const [checked, setChecked] = useState<ItemResult[]>();
  const [effectDays, setEffectDays] = useState<EffectDays>();
  const seesReports = useMay('reports.see');
  const refused = checked?.filter(({ code }) => code).length ?? 0;
  const starts = momentOf(at);
  const ends = momentOf(until);
  const proposal: Proposal = {
    title,
    reason,
    ...(starts ? { starts_at: starts } : {}),
    ...(ends ? { ends_at: ends } : {}),
    partly: refused > 0,
    // The change keeps the effect that was seen.
    ...(effectDays ? { effect_days: effectDays } : {}),
    items,
  };
  const act = async (draftFirst = false) => {
    setBusy(true);
    setFailed('');
    try {
      if (draftFirst) {
        const { id } = await propose({ ...proposal, draft: true });
        if (id) navigate(previewOf(id));
      } else if (!checked) setChecked((await dryRun(proposal)).results);
      else {
        const accepted = await propose(proposal);
        // The draft stays until the grid has the new values, so that no cell shows an old one meanwhile.
        await client.invalidateQueries({ queryKey: ['office'] });
        sent(accepted, items);
        setOpen(false);
      }
    } catch (error) {
      setFailed(words(error));
    } finally {
      setBusy(false);
    }
  };
  const change = (set: (value: string) => void) => (value: string) => {
    set(value);
    setChecked(undefined);
    setEffectDays(undefined);
  };
  return (
    <Dialog open={open} onClose={close} label={w.review} place="wide">
      <form
        className={d.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void act();
        }}
      >
        <h2 className={s.dialogTitle}>{w.review}</h2>
        <Text label={w.title} value={title} set={setTitle} required most={200} />
        <Text label={w.reason} value={reason} set={setReason} most={1000} />
        <Text label={w.at} hint={w.atHint} value={at} set={change(setAt)} type="datetime-local" />
        <Text label={w.until} value={until} set={change(setUntil)} type="datetime-local" />
        {checked ? <Checked draft={draft} groups={groups} items={items} results={checked} /> : null}
        {checked && seesReports && items.some(({ field }) => pricedFields.includes(field)) ? (
          <Ask ask={(days) => dryEffect({ ...proposal, effect_days: days })} shown={setEffectDays} />
        ) : null}
        <p role="alert" className={d.failed}>
          {failed}
        </p>
        <div className={d.actions}>
          <Action type="submit" kind="strong" aria-disabled={busy} disabled={refused === items.length}>
            {!checked ? w.check : at ? w.sendLater : w.send}
          </Action>
          {checked ? (
            <Action disabled={busy || refused === items.length} onClick={() => act(true)}>
              {w.lookFirst}
            </Action>
          ) : null}
        </div>
      </form>
    </Dialog>
  );
}

/** The fields that orders are priced by. */
const pricedFields: string[] = ['price', 'discounted_price', 'discount', 'prices'];

function Text({
  label,
  hint,
  value,
  set,
  type = 'text',
  required = false,
  most,
}: {
  label: string;
  hint?: string;
  value: string;
  set: (value: string) => void;
  type?: string;
  required?: boolean;
  most?: number;
}) {
  return (
    <label className={f.field}>
      {label}
      <input
        type={type}
        value={value}
        required={required}
        maxLength={most}
        onChange={({ target }) => set(target.value)}
      />
      {hint ? <span>{hint}</span> : null}
    </label>
  );
}

/** How many items are shown; what is refused comes first. */
const shown = 100;

function Checked({
  draft,
  groups,
  items,
  results,
}: Pick<Props, 'draft' | 'groups'> & { items: Item[]; results: ItemResult[] }) {
  const rows = items
    .map((item, n) => ({ item, result: results[n] }))
    .sort((one, other) => Number(Boolean(other.result?.code)) - Number(Boolean(one.result?.code)));
  const refused = rows.filter(({ result }) => result?.code).length;
  const say = ({ id, field }: Item, value: unknown) => {
    const column = columns.find((one) => one.field === field);
    const row = draft[id]?.row;
    return (column && row ? column.show(row, value as Value, groups) : String(value ?? '')) || '—';
  };
  return (
    <>
      <p role="status" className={refused > 0 ? s.wrong : undefined}>
        {refused > 0 ? w.refusals(count(refused)) : w.allGood}
      </p>
      <div className={s.items}>
        <Table
          caption={w.items}
          columns={[
            {
              key: 'product',
              title: w.product,
              head: true,
              cell: ({ item, result }) => (
                <>
                  {draft[item.id]?.row.article ?? item.id}
                  {result?.archived ? <span className={t.sub}>{goodsTexts.archived}</span> : null}
                </>
              ),
            },
            {
              key: 'field',
              title: w.field,
              cell: ({ item }) => columns.find(({ field }) => field === item.field)?.title() ?? item.field,
            },
            { key: 'was', title: w.was, cell: ({ item, result }) => say(item, result?.was ?? item.was) },
            { key: 'now', title: w.now, cell: ({ item }) => say(item, item.now) },
            ...(refused > 0
              ? [
                  {
                    key: 'refusal',
                    title: w.refusal,
                    cell: ({ result }: (typeof rows)[number]) =>
                      result?.code ? refusal(result) || result.code : '',
                  },
                ]
              : []),
          ]}
          rows={rows.slice(0, shown)}
          rowKey={({ item }) => `${item.id} ${item.field}`}
        />
      </div>
      {rows.length > shown ? <p className={d.quiet}>{w.more(count(rows.length - shown))}</p> : null}
    </>
  );
}
