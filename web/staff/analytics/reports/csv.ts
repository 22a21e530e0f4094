import type { Column, Row } from '../api/types';

/** Rows as the shop's own CSV files are: a byte order mark, RFC 4180, nothing that a spreadsheet takes for a formula. */
export const csvOf = (columns: Column[], rows: Row[]): string =>
  `\ufeff${[columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ key }) => row[key]))]
    .map((cells) => `${cells.map(cell).join(',')}\r\n`)
    .join('')}`;

function cell(value: Row[string] | undefined): string {
  if (typeof value !== 'string') return value === null || value === undefined ? '' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
