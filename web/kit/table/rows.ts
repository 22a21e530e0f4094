import type { Column, Value } from './table';

const order = new Intl.Collator('ru', { numeric: true });

/** Rows by the values of a column, after a minus the greatest first; those without a value come last, equal ones stay. */
export function sortedBy<R>(rows: R[], columns: Column<R>[], by: string): R[] {
  const down = by.startsWith('-');
  const value = columns.find(({ key }) => key === (down ? by.slice(1) : by))?.value;
  if (!value) return rows;
  return rows.toSorted((one, other) => {
    const a = value(one) ?? null;
    const b = value(other) ?? null;
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const compared =
      typeof a === 'number' && typeof b === 'number' ? a - b : order.compare(String(a), String(b));
    return down ? -compared : compared;
  });
}

/** What a spreadsheet computes, and what it takes for another number: it drops zeros before, and digits behind the eleventh. */
const changed = /^(?:[=+\-@\t\r]|(?:0\d+|\d{12,}|\d+(?:\.\d+)?e[+-]?\d+)$)/i;

/** Rows as the shop's own CSV files are: a byte order mark, RFC 4180, an apostrophe before what a spreadsheet would change. */
export function csvOf<R>(columns: Column<R>[], rows: R[]): string {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ value }) => value?.(row))),
  ];
  return `\ufeff${lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('')}`;
}

function quoted(value: Value): string {
  if (typeof value !== 'string') return value === null || value === undefined ? '' : String(value);
  const text = changed.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
