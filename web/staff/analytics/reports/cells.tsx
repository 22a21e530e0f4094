import { Link } from '../../../kit/design/link';
import t from '../../../kit/table/table.module.css';
import { amount, dayOf, money, monthOf, perMille, signed } from '../../parts/format';
import type { Column, Kind, Row } from '../api/types';
import { reportTexts } from '../texts/ru';
import s from './reports.module.css';

export const isPeriod = (kind: Kind) => kind === 'day' || kind === 'week' || kind === 'month';
export const isNumber = (kind: Kind) => kind !== 'text' && !isPeriod(kind);
/** The beginning of a day, week or month, in seconds of the epoch. */
export const periodStart = (value: string) => Date.parse(value.length === 7 ? `${value}-01` : value) / 1000;

/** A value as its column's kind says. */
export function say(kind: Kind, value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '—';
  if (typeof value === 'number') {
    if (kind === 'money') return money(value);
    if (kind === 'percent') return perMille(value);
    if (kind === 'change') return signed(value);
    return amount(value);
  }
  if (!isPeriod(kind)) return value;
  const at = periodStart(value) * 1000;
  if (Number.isNaN(at)) return value;
  if (kind === 'week') return reportTexts.weekOf(dayOf(at));
  return (kind === 'month' ? monthOf : dayOf)(at);
}

/** Where a value's own page is; undefined: it has none, or its id is not told. */
export function linkOf({ key, link }: Column, row: Row): string | undefined {
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
  const to = linkOf(column, row);
  return to ? (
    <Link className={t.link} to={to}>
      {said}
    </Link>
  ) : (
    said
  );
}
