import { classes } from '../../src/design/classes';
import { Scroll } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import type { Report, Row } from '../api/types';
import { align, beginsWith, Cell, say } from './cells';
import s from './reports.module.css';

/** A report's rows. A column is sorted by pressing its head: numbers begin with the greatest. */
export function Rows({
  report,
  sorted,
  sort,
}: {
  report: Pick<Report, 'title' | 'columns' | 'rows' | 'total'>;
  /** The key sorted by, after a minus when the greatest stands first; '' is the report's own order. */
  sorted: string;
  sort: (by: string) => void;
}) {
  const { columns, rows, total, title } = report;
  return (
    <Scroll label={`${title}, rows`}>
      <table className={classes(t.table, s.table)}>
        <thead>
          <tr>
            {columns.map((column) => {
              const { key, about } = column;
              const up = sorted === key;
              const down = sorted === `-${key}`;
              return (
                <th
                  key={key}
                  scope="col"
                  className={align(column)}
                  aria-sort={up ? 'ascending' : down ? 'descending' : undefined}
                >
                  <button
                    type="button"
                    className={t.sort}
                    title={about}
                    onClick={() => sort(up ? `-${key}` : down ? key : beginsWith(column))}
                  >
                    {column.title}
                  </button>
                  <span aria-hidden="true">{up ? ' ↑' : down ? ' ↓' : ''}</span>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a report's rows have no id
            <tr key={at}>
              {columns.map((column, at) =>
                at === 0 ? (
                  <th key={column.key} scope="row">
                    <Cell column={column} row={row} />
                  </th>
                ) : (
                  <td key={column.key} className={align(column)}>
                    <Cell column={column} row={row} />
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
        {total ? (
          <tfoot>
            <tr>
              {columns.map((column, at) =>
                at === 0 ? (
                  <th key={column.key} scope="row">
                    In all
                  </th>
                ) : (
                  <td key={column.key} className={align(column)}>
                    {column.key in total ? say(column.kind, total[column.key]) : null}
                  </td>
                ),
              )}
            </tr>
          </tfoot>
        ) : null}
      </table>
    </Scroll>
  );
}

/** Rows by the values of a column, after a minus the greatest first; those without a value come last, equal ones stay. */
export function sortedBy<R extends Row>(rows: R[], by: string): R[] {
  const down = by.startsWith('-');
  const key = down ? by.slice(1) : by;
  if (key === '') return rows;
  const order = new Intl.Collator('ru', { numeric: true });
  return rows.toSorted((one, other) => {
    const a = one[key] ?? null;
    const b = other[key] ?? null;
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const compared =
      typeof a === 'number' && typeof b === 'number' ? a - b : order.compare(String(a), String(b));
    return down ? -compared : compared;
  });
}
