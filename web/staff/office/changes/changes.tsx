import { useQuery } from '@tanstack/react-query';
import { Link } from '../../../kit/design/link';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { useMay } from '../../me';
import f from '../../parts/field.module.css';
import { almatyDay, count } from '../../parts/format';
import { Action, Head, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { screen } from '../../parts/screen';
import { useFilters } from '../desk/address';
import { AsOf, asked, type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import s from './changes.module.css';
import {
  type ChangeFilters,
  type ChangeRow,
  type ChangeStatus,
  changeQueries,
  fileOf,
  isDraft,
} from './queries';
import { changeTexts as w } from './texts/ru';
import { fieldName, thingName, WasNow } from './value';

const ChangeCalendar = screen(() => import('./calendar'), 'ChangeCalendar');

/** Who changed what of the shop, and what is to come. */
export function Changes() {
  const { value, narrow } = useFilters('before');
  const coming = value('show') === 'coming';
  const calendar = value('show') === 'calendar';
  const filters: ChangeFilters = {
    ...(value('by') && { by: value('by') }),
    ...(value('status') && { status: value('status') as ChangeStatus }),
    ...(value('thing') && { thing: value('thing') }),
    ...(value('id') && { id: value('id') }),
    ...(value('from') && { from: value('from') }),
    ...(value('to') && { to: value('to') }),
    ...(value('before') && { before: value('before') }),
    ...(coming && { coming }),
  };
  const at = useAt();
  const then = useThen();
  const found = useQuery({ ...changeQueries.list(filters, at), enabled: !calendar });
  return (
    <>
      <Head title={w.title} lead={w.lead} />
      <AsOf />
      <nav aria-label={w.shows}>
        <ul className={d.tabs}>
          <li>
            <Link to={then('/admin/changes')} aria-current={coming || calendar ? undefined : 'page'}>
              {w.past}
            </Link>
          </li>
          <li>
            <Link
              to={then('/admin/changes?status=waiting')}
              aria-current={value('status') === 'waiting' ? 'page' : undefined}
            >
              {w.toApprove}
            </Link>
          </li>
          <li>
            <Link to={then('/admin/changes?show=coming')} aria-current={coming ? 'page' : undefined}>
              {w.coming}
            </Link>
          </li>
          <li>
            <Link to="/admin/changes?show=calendar" aria-current={calendar ? 'page' : undefined}>
              {w.calendar}
            </Link>
          </li>
          {useMay('audit.see') ? (
            <li>
              <Link to="/admin/changes/difference">{w.compare}</Link>
            </li>
          ) : null}
        </ul>
      </nav>
      {calendar ? <ChangeCalendar until={<Loading rows={6} height={80} />} /> : null}
      {coming || calendar ? null : <Filters filters={filters} />}
      {calendar ? null : (
        <Loaded query={found} what={w.what} loading={<Loading rows={6} height={64} />}>
          {({ results, next, named }) => (
            <>
              <Chips filters={filters} named={named} />
              <Table
                caption={w.title}
                columns={columns(coming, (by) => narrow('by', by), then)}
                rows={results}
                rowKey={({ id }) => id}
                empty={<Nothing title={w.none}>{coming ? w.noneComing : w.noneWhy}</Nothing>}
                cards
              />
              {next ? (
                <nav className={d.pages} aria-label={w.title}>
                  <Action onClick={() => narrow('before', next)}>{w.older}</Action>
                </nav>
              ) : null}
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

/** What narrows the list. A filter that changes begins at the newest again. */
function Filters({ filters }: { filters: ChangeFilters }) {
  const { value, narrow, reset } = useFilters('before');
  const at = useAt();
  return (
    <search className={d.filters}>
      <label className={f.field}>
        {w.status}
        <select value={value('status')} onChange={({ target }) => narrow('status', target.value)}>
          <option value="">{w.any}</option>
          {Object.entries(w.statuses).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label className={f.field}>
        {w.thing}
        <select value={value('thing')} onChange={({ target }) => narrow('thing', target.value)}>
          <option value="">{w.any}</option>
          {Object.entries(w.things).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label className={f.field}>
        {w.from}
        <input type="date" value={value('from')} onChange={({ target }) => narrow('from', target.value)} />
      </label>
      <label className={f.field}>
        {w.to}
        <input type="date" value={value('to')} onChange={({ target }) => narrow('to', target.value)} />
      </label>
      <div className={d.below}>
        <Action onClick={reset}>{w.reset}</Action>
        <a className={t.link} href={fileOf({ ...filters, ...asked(at) })} download>
          {w.file}
        </a>
      </div>
    </search>
  );
}

/** What narrows the list now, by name; each can be taken away. */
function Chips({ filters, named }: { filters: ChangeFilters; named: { by: string; thing: string } }) {
  const { narrow } = useFilters('before');
  const set: [keyof ChangeFilters, string][] = [
    ['by', `${w.who}: ${named.by || filters.by}`],
    ['status', `${w.status}: ${filters.status && w.statuses[filters.status]}`],
    ['thing', `${w.thing}: ${thingName(filters.thing ?? '')}`],
    ['id', `${w.which}: ${named.thing || filters.id}`],
    ['from', `${w.from} ${almatyDay(filters.from ?? '')}`],
    ['to', `${w.to} ${almatyDay(filters.to ?? '')}`],
  ];
  const chips = set.filter(([name]) => filters[name]);
  if (chips.length === 0) return null;
  return (
    <ul className={s.chips} aria-label={w.narrowedBy}>
      {chips.map(([name, text]) => (
        <li key={name}>
          <button type="button" onClick={() => narrow(name, '')} aria-label={w.removeFilter(text)}>
            {text} <span aria-hidden="true">✕</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A change by its title, or by what it did first. */
export function titleOf({ title, first, items, undoes }: ChangeRow): string {
  const what =
    title ||
    (first ? `${first.name || thingName(first.thing)}: ${fieldName(first.field, first.thing)}` : w.change);
  const name = undoes ? w.undoOf(what) : what;
  return items > 1 && !title ? w.andMore(name, count(items - 1)) : name;
}

const columns = (coming: boolean, narrow: (by: string) => void, then: Then): Column<ChangeRow>[] => [
  {
    key: 'change',
    title: w.change,
    head: true,
    cell: (row) => (
      <>
        <Link className={t.link} to={then(`/admin/changes/${row.id}`)}>
          {titleOf(row)}
        </Link>
        {row.reason ? <span className={t.sub}>{row.reason}</span> : null}
      </>
    ),
  },
  {
    key: 'what',
    title: w.whatChanged,
    cell: ({ first, items }) =>
      first ? (
        <div>
          <span className={t.sub}>
            {[first.article, fieldName(first.field, first.thing)].filter(Boolean).join(' · ')}
          </span>
          <WasNow was={first.was} now={first.now} field={first.field} hidden={first.hidden} />
          {items > 1 ? <span className={t.sub}>{w.items(count(items))}</span> : null}
        </div>
      ) : (
        w.items(count(items))
      ),
  },
  {
    key: 'who',
    title: w.who,
    cell: ({ proposed_by, proposed_name, proposed_at }) => (
      <div className={d.id}>
        <button type="button" className={t.link} onClick={() => narrow(proposed_by)}>
          {proposed_name}
        </button>
        <span className={t.sub}>
          <Moment at={proposed_at} />
        </span>
      </div>
    ),
  },
  {
    key: 'status',
    title: w.status,
    cell: (row) => <Standing row={row} coming={coming} />,
  },
];

/** Where a change stands, with its times and what was left out. */
export function Standing({ row, coming = false }: { row: ChangeRow; coming?: boolean }) {
  return (
    <div>
      {isDraft(row) ? w.draft : w.statuses[row.status]}
      {row.override ? <span className={`${t.sub} ${s.override}`}>{w.overridden}</span> : null}
      {row.starts_at && (coming || row.status === 'planned' || row.status === 'waiting') ? (
        <span className={t.sub}>
          {w.begins} <Moment at={row.starts_at} />
        </span>
      ) : null}
      {row.ends_at ? (
        <span className={t.sub}>
          {w.ends} <Moment at={row.ends_at} />
        </span>
      ) : null}
      {row.conflicts + row.refused > 0 ? (
        <span className={t.sub}>{w.leftOut(count(row.conflicts + row.refused))}</span>
      ) : null}
      {row.kept > 0 && row.status !== 'undone' ? (
        <span className={t.sub}>{w.kept(count(row.kept))}</span>
      ) : null}
    </div>
  );
}
