import { Link } from '../../src/design/link';
import { amount, money, signed } from '../../staff/parts/format';
import t from '../../staff/parts/table.module.css';
import type { Column, Kind, Row } from '../api/types';
import s from './reports.module.css';

const tenths = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const day = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });

export const isPeriod = (kind: Kind) => kind === 'day' || kind === 'week' || kind === 'month';
const isNumber = (kind: Kind) => kind !== 'text' && !isPeriod(kind);
export const align = ({ kind }: Column) => (isNumber(kind) ? t.number : undefined);
/** Names and periods begin with the first, numbers with the greatest. */
export const beginsWith = ({ key, kind }: Column) => (isNumber(kind) ? `-${key}` : key);

/** The beginning of a day, week or month, in seconds of the epoch. */
export const begins = (value: string) => Date.parse(value.length === 7 ? `${value}-01` : value) / 1000;

/** A value as its column's kind says. */
export function say(kind: Kind, value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '—';
  if (typeof value === 'number') {
    if (kind === 'money') return money(value);
    if (kind === 'percent') return `${tenths.format(value / 10)} %`;
    if (kind === 'change') return signed(value);
    return amount(value);
  }
  if (!isPeriod(kind)) return value;
  const at = begins(value) * 1000;
  if (Number.isNaN(at)) return value;
  if (kind === 'week') return `Week of ${day.format(at)}`;
  return (kind === 'month' ? month : day).format(at);
}

/** Where a value's own page is; undefined: it has none, or its id is not told. */
export function wayTo({ key, link }: Column, row: Row): string | undefined {
  const id = row[`${key}_id`];
  if (!id) return undefined;
  if (link === 'product') return `/analytics/products/${id}`;
  if (link === 'order') return `/analytics/orders/${row[key]}`;
  if (link === 'category') return `/analytics/reports/products?category=${id}`;
  if (link === 'brand') return `/analytics/reports/products?brand=${id}`;
  return undefined;
}

export function Cell({ column, row }: { column: Column; row: Row }) {
  const value = row[column.key];
  const said = say(column.kind, value);
  if (column.kind === 'change' && Number(value) < 0) return <span className={s.less}>{said}</span>;
  const to = wayTo(column, row);
  return to ? (
    <Link className={t.link} to={to}>
      {said}
    </Link>
  ) : (
    said
  );
}
