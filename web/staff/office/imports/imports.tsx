import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { isRecord } from '../../../kit/api/problem';
import { ButtonLink } from '../../../kit/design/button';
import { Link } from '../../../kit/design/link';
import { csvOf } from '../../../kit/table/rows';
import { type Column, Table } from '../../../kit/table/table';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { count, percent } from '../../parts/format';
import { Action, Head, Nothing, Progress, Section } from '../../parts/parts';
import { save } from '../../parts/save';
import { changeTexts } from '../changes/texts/ru';
import { refusal } from '../changes/value';
import d from '../desk/desk.module.css';
import { type ItemResult, proposeMany } from '../products/changes';
import s from './imports.module.css';
import {
  type ImportPlan,
  largest,
  type Matched,
  matchedTo,
  mostItems,
  ours,
  type PlannedRow,
  planOf,
} from './queries';
import { importTexts as w } from './texts/ru';

/** How many rows the page shows of those that change. */
const shown = 200;

/** A catalog file: what it would change, row by row, and then one change. */
export function Imports() {
  const client = useQueryClient();
  const [file, setFile] = useState<File>();
  const [plan, setPlan] = useState<ImportPlan>();
  const [busy, setBusy] = useState('');
  /** Of the file that is compared or of the items that are checked, as far as it is known. */
  const [share, setShare] = useState<number>();
  const [failed, setFailed] = useState('');
  const [made, setMade] = useState<{ id?: string; waits: boolean; left: Left[] }>();
  /** Work was stopped that may have been applied at that very moment. */
  const [stopped, setStopped] = useState(false);
  const working = useRef<AbortController>(undefined);
  const begin = (what: string) => {
    working.current?.abort();
    const now = new AbortController();
    working.current = now;
    setBusy(what);
    setShare(undefined);
    setFailed('');
    setMade(undefined);
    setStopped(false);
    return now;
  };
  const applying = busy === w.checking || busy === w.applying;
  const look = async (of: File, by?: Matched) => {
    const now = begin(w.reading);
    const hear = (more: number) => {
      if (working.current === now) setShare(more);
    };
    try {
      setPlan(await planOf(of, by, now.signal, hear));
    } catch (error) {
      if (!now.signal.aborted) {
        setPlan(undefined);
        setFailed(words(error));
      }
    }
    if (working.current === now) setBusy('');
  };
  const take = (one: File | undefined) => {
    if (!one || applying) return;
    if (one.size > largest) {
      setFailed(w.tooLarge(largest >> 20));
      return;
    }
    setFile(one);
    setPlan(undefined);
    void look(one);
  };
  const match = (theirs: string, to: string) => {
    if (!file || !plan) return;
    const next = matchedTo(plan, theirs, to);
    setPlan(next); // what is chosen before the answer is there counts too
    void look(file, next.matched);
  };
  const apply = async () => {
    if (!file || !plan) return;
    const now = begin(w.checking);
    const hear = (more: number) => {
      setShare(more);
      if (more === 1) setBusy(w.applying);
    };
    try {
      const { id, status, results } = await proposeMany(
        { title: w.changeOf(file.name), items: plan.items, partly: true },
        now.signal,
        hear,
      );
      setMade({ ...(id ? { id } : {}), waits: status === 'waiting', left: leftOf(plan, results) });
      setPlan(undefined);
      await client.invalidateQueries({ queryKey: ['office'] });
    } catch (error) {
      if (!now.signal.aborted) setFailed(words(error));
    }
    if (working.current === now) setBusy('');
  };
  const stoppable = busy === w.reading || busy === w.checking;
  return (
    <>
      <Head title={w.title} lead={w.lead} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a place to drop a file, beside the field that takes it by keyboard */}
      <div
        className={s.drop}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          take(event.dataTransfer.files[0]);
        }}
      >
        <label className={f.field}>
          {w.file}
          <input
            type="file"
            accept=".csv,.txt,.xml,.yml,.xlsx"
            aria-describedby="import-hint"
            disabled={applying}
            onChange={({ target }) => {
              take(target.files?.[0]);
              target.value = '';
            }}
          />
        </label>
        <p id="import-hint" className={d.quiet}>
          {w.hint}
        </p>
      </div>
      <p role="status" className={d.told}>
        {busy || (made ? (made.waits ? w.waits : w.done) : '')}
        {made?.id ? (
          <>
            {' '}
            <Link to={`/admin/changes/${made.id}`}>{w.change}</Link>
          </>
        ) : null}
        {stopped ? (
          <>
            {w.stopped} <Link to="/admin/changes">{w.list}</Link>
          </>
        ) : null}
      </p>
      {stoppable && share !== undefined ? (
        <Progress value={share} label={busy} text={percent(share)} />
      ) : null}
      {stoppable ? (
        <Action
          onClick={() => {
            working.current?.abort();
            setStopped(busy === w.checking);
            if (busy === w.reading) setPlan(undefined); // it is of other columns
            setBusy('');
          }}
        >
          {w.stop}
        </Action>
      ) : null}
      <p role="alert" className={d.failed}>
        {failed || (plan?.refused ? w.refused(plan.refused) : '')}
      </p>
      {plan && !applying ? <Planned plan={plan} match={match} /> : null}
      {plan && !applying && !plan.refused ? (
        <div className={d.actions}>
          <Action
            kind="strong"
            disabled={busy !== '' || plan.items.length === 0 || plan.items.length > mostItems}
            onClick={apply}
          >
            {w.apply(count(plan.rows.length))}
          </Action>
          {plan.bad.length > 0 ? (
            <Action onClick={() => save('bad-rows.csv', badRows(plan), 'text/csv')}>{w.takeBad}</Action>
          ) : null}
        </div>
      ) : null}
      {plan && plan.items.length > mostItems ? (
        <p className={d.failed}>{w.tooMany(count(mostItems))}</p>
      ) : null}
      {made && made.left.length > 0 ? (
        <Section title={w.left}>
          <p className={d.quiet}>{w.leftWhy}</p>
          <Table
            caption={w.left}
            columns={leftColumns()}
            rows={made.left.slice(0, shown)}
            rowKey={({ at }) => String(at)}
            cards
          />
          {made.left.length > shown ? (
            <p className={d.quiet}>{w.more(count(made.left.length - shown))}</p>
          ) : null}
        </Section>
      ) : null}
      {made ? <ButtonLink to="/admin/products">{w.products}</ButtonLink> : null}
    </>
  );
}

/** An item of the file that was not applied, such as a new brand, with its line. */
type Left = { at: number; line: number | undefined; what: string; reason: string };

/** What of a plan was not applied. Results stand in the order of the items. */
const leftOf = ({ rows, items }: ImportPlan, results: ItemResult[]): Left[] =>
  results.flatMap(({ thing, field, outcome, code, detail }, at) => {
    if (outcome !== 'refused' && outcome !== 'conflict') return [];
    const row = rows.find(({ first, items: many }) => first <= at && at < first + many);
    const now = items[at]?.now;
    const name = thing === 'product' || !isRecord(now) ? row?.article : now.name;
    const what = `${changeTexts.things[thing as keyof typeof changeTexts.things] ?? thing} ${name ?? ''}`;
    const of = thing === 'product' && field !== 'added' ? `: ${fieldName(field)}` : '';
    return [{ at, line: row?.line, what: what.trim() + of, reason: refusal({ code, detail }) || w.conflict }];
  });

const leftColumns = (): Column<Left>[] => [
  { key: 'line', title: w.line, number: true, cell: ({ line }) => line ?? '—' },
  { key: 'what', title: w.what, head: true, cell: ({ what }) => what },
  { key: 'reason', title: w.reason, cell: ({ reason }) => reason },
];

function Planned({ plan, match }: { plan: ImportPlan; match: (theirs: string, to: string) => void }) {
  return (
    <>
      {plan.columns.length > 0 ? (
        <Section title={w.columns}>
          <ul className={s.columns}>
            {plan.columns.map(({ theirs, ours: field }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never change their place, and two may have one name
              <li key={`${at} ${theirs}`}>
                <label className={f.field}>
                  {theirs || w.nameless(at + 1)}
                  <select value={field} onChange={({ target }) => match(theirs, target.value)}>
                    <option value="">{w.ignored}</option>
                    {ours.map((one) => (
                      <option key={one} value={one}>
                        {w.fields[one]}
                      </option>
                    ))}
                  </select>
                </label>
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {plan.refused ? null : (
        <>
          <p>
            {w.found(
              count(plan.count),
              count(plan.rows.filter((row) => row.new).length),
              count(plan.rows.filter((row) => !row.new).length),
              count(plan.same),
              count(plan.bad.length),
            )}
          </p>
          {plan.bad.length > 0 ? (
            <Section title={w.bad}>
              <Table
                caption={w.bad}
                columns={badColumns()}
                rows={plan.bad.toSorted((one, other) => one.line - other.line).slice(0, shown)}
                rowKey={({ line, field }) => `${line} ${field}`}
                cards
              />
            </Section>
          ) : null}
          <Section title={w.changes}>
            <Table
              caption={w.changes}
              columns={rowColumns(plan)}
              rows={plan.rows.slice(0, shown)}
              rowKey={({ line }) => String(line)}
              empty={<Nothing title={w.nothing} />}
              cards
            />
            {plan.rows.length > shown ? (
              <p className={d.quiet}>{w.more(count(plan.rows.length - shown))}</p>
            ) : null}
          </Section>
        </>
      )}
    </>
  );
}

const badColumns = (): Column<Bad>[] => [
  {
    key: 'line',
    title: w.line,
    number: true,
    cell: ({ line }) => line,
    value: ({ line }) => line,
  },
  {
    key: 'field',
    title: w.field,
    head: true,
    cell: ({ field }) => fieldName(field),
    value: ({ field }) => field,
  },
  { key: 'reason', title: w.reason, cell: ({ reason }) => reason, value: ({ reason }) => reason },
];

type Bad = ImportPlan['bad'][number];

/** The rows that cannot be used, as they are in the file, with what is wrong: corrected, they can be imported again. */
function badRows({ columns, bad }: ImportPlan): string {
  if (bad.every(({ cells }) => cells.length === 0)) return csvOf(badColumns(), bad);
  const told = new Map<number, string[]>();
  for (const { line, field, reason } of bad)
    told.set(line, [...(told.get(line) ?? []), field ? `${fieldName(field)}: ${reason}` : reason]);
  const rows = new Map(bad.toReversed().map((row) => [row.line, row]));
  return csvOf<Bad>(
    [
      ...columns.map(({ theirs }, at) => ({
        key: String(at),
        title: theirs,
        cell: () => null,
        value: ({ cells }: Bad) => cells[at] ?? '',
      })),
      { key: 'reason', title: w.reason, cell: () => null, value: ({ line }) => told.get(line)?.join('; ') },
    ],
    [...rows.values()].sort((one, other) => one.line - other.line),
  );
}

const fieldName = (field: string): string => w.fields[field as keyof typeof w.fields] ?? field;

const rowColumns = (plan: ImportPlan): Column<PlannedRow>[] => [
  { key: 'line', title: w.line, number: true, cell: ({ line }) => line },
  {
    key: 'article',
    title: w.fields.article,
    head: true,
    cell: ({ article, name }) => `${article} ${name}`,
  },
  {
    key: 'what',
    title: w.what,
    cell: (row) =>
      row.new ? (
        w.added
      ) : (
        <ul className={s.items}>
          {plan.items.slice(row.first, row.first + row.items).map(({ field, was, now }) => (
            <li key={field}>
              {fieldName(field)}: <del>{brief(was)}</del> → <ins>{brief(now)}</ins>
            </li>
          ))}
        </ul>
      ),
  },
];

/** A value in a few words. */
function brief(value: unknown): string {
  if (value === null || value === undefined || value === '') return '—';
  if (typeof value !== 'object') return String(value).slice(0, 80);
  if ('price' in value && 'discounted_price' in value) {
    const { price, discounted_price: pays } = value as { price: number; discounted_price: number };
    return pays === price ? count(price) : `${count(pays)} (${count(price)})`;
  }
  if (Array.isArray(value)) return count(value.length);
  return Object.values(value).filter(Boolean).join(' · ').slice(0, 80) || '—';
}
