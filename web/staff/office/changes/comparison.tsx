import { useQuery } from '@tanstack/react-query';
import { Link } from '../../../kit/design/link';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import f from '../../parts/field.module.css';
import { Head, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { useFilters } from '../desk/address';
import d from '../desk/desk.module.css';
import s from './changes.module.css';
import { type Compared, changeQueries, type DifferencePart } from './queries';
import { changeTexts as w } from './texts/ru';
import { fieldName, WasNow } from './value';

type Row = Compared['products'][number]['fields'][number] & { id: string; article: string; name: string };

const parts: DifferencePart[] = ['prices', 'stock', 'catalog'];
const dayAgo = () => new Date(Math.floor(Date.now() / 60_000) * 60_000 - 24 * 3_600_000).toISOString();

/** A time of the address as a field of date and time wants it, in the browser's zone. */
const typed = (moment: string): string => {
  const at = Date.parse(moment);
  if (Number.isNaN(at) || /^\d+$/.test(moment)) return '';
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
};
const momentOf = (local: string): string => (local ? new Date(local).toISOString() : '');

/** How products differ at two moments, and who did it. A moment of the address is a time or a position of the log. */
export function Comparison() {
  const { value, narrow } = useFilters();
  const part = parts.find((one) => one === value('part')) ?? 'prices';
  const from = value('from') || dayAgo();
  const to = value('to');
  const found = useQuery(changeQueries.difference(part, from, to));
  return (
    <>
      <Head title={w.compare} lead={w.compareLead}>
        <Link to="/admin/changes">{w.title}</Link>
      </Head>
      <search className={d.moments}>
        <label className={f.field}>
          {w.part}
          <select value={part} onChange={({ target }) => narrow('part', target.value)}>
            {parts.map((one) => (
              <option key={one} value={one}>
                {w.parts[one]}
              </option>
            ))}
          </select>
        </label>
        {(['from', 'to'] as const).map((end) => (
          <label key={end} className={f.field}>
            {end === 'from' ? w.since : w.until}
            <input
              type="datetime-local"
              title={end === 'to' ? w.untilNow : undefined}
              value={typed(end === 'from' ? from : to)}
              onChange={({ target }) => narrow(end, momentOf(target.value))}
            />
          </label>
        ))}
      </search>
      <Loaded query={found} what={w.compareWhat} loading={<Loading rows={6} height={64} />}>
        {({ products, more }) => (
          <>
            <p role="status">{more ? w.tooMuch : ''}</p>
            <Table
              caption={w.compare}
              columns={columns()}
              rows={products.flatMap(({ fields, ...product }): Row[] =>
                fields.map((field) => ({ ...product, ...field })),
              )}
              rowKey={({ id, field }) => id + field}
              empty={<Nothing title={w.noDifference}>{w.noDifferenceWhy}</Nothing>}
              cards
            />
          </>
        )}
      </Loaded>
    </>
  );
}

const columns = (): Column<Row>[] => [
  {
    key: 'product',
    title: w.product,
    head: true,
    cell: ({ article, name }) => (
      <>
        <Link className={t.link} to={`/admin/products/${encodeURIComponent(article)}`}>
          {name}
        </Link>
        <span className={t.sub}>{article}</span>
      </>
    ),
  },
  { key: 'field', title: w.field, cell: ({ field }) => fieldName(field) },
  {
    key: 'difference',
    title: w.wasBecame,
    cell: ({ was, now, field }) => <WasNow was={was} now={now} field={field} />,
  },
  {
    key: 'by',
    title: w.whoDidIt,
    cell: ({ by }) => (
      <ul className={s.touches}>
        {by.slice(-5).map(({ position, at, actor, change }) => (
          <li key={position}>
            {actor} · <Moment at={at} />{' '}
            {change ? <Link to={`/admin/changes/${change}`}>{w.byChange}</Link> : null}
          </li>
        ))}
      </ul>
    ),
  },
];
