import type { CSSProperties, ReactNode } from 'react';
import { classes } from '../design/classes';
import text from '../design/text.module.css';
import s from './table.module.css';

/** The value by which a cell is sorted and exported. */
export type Value = string | number | null | undefined;

/** A column of rows of such a type. */
export type Column<R> = {
  key: string;
  title: string;
  /** What a cell shows. */
  cell: (row: R, at: number) => ReactNode;
  /** What the column is sorted and exported by. */
  value?: (row: R) => Value;
  /** Numbers stand at the right, and are sorted with the greatest first. */
  number?: boolean;
  /** Whether its head sorts the rows. */
  sortable?: boolean;
  /** Whether it names the row. */
  head?: boolean;
  /** For buttons: its title is for screen readers alone, and on a card the cell has no label. */
  actions?: boolean;
  /** What stands in its head in place of the title. */
  headCell?: ReactNode;
  /** More about the title. */
  about?: string;
  /** How many rows a cell covers; 0: the one above covers it. */
  span?: (row: R) => number;
  className?: string | ((row: R) => string | undefined);
  style?: (row: R) => CSSProperties | undefined;
  /** What stands under the column, in a last row that adds up. */
  foot?: ReactNode;
};

type Props<R> = {
  /** The name of the table, read aloud. */
  caption: string;
  /** How it looks when it is seen as well. */
  captionClass?: string;
  columns: Column<R>[];
  rows: R[];
  rowKey: (row: R, at: number) => string | number;
  /** Whether a narrow screen shows each row as a card of labelled values. Other tables scroll sideways. */
  cards?: boolean;
  className?: string;
  /** The key that rows are sorted by, after a minus when the greatest stands first; '' is their own order. */
  sorted?: string;
  sort?: (by: string) => void;
  /** In place of the table while its rows are on their way, when they did not come, and when there are none. */
  loading?: ReactNode;
  failure?: ReactNode;
  empty?: ReactNode;
};

/** A table of typed columns: sorted by its heads, as cards on a phone, with a foot that adds up. */
export function Table<R>(props: Props<R>) {
  const { caption, columns, rows, cards = false, className, loading, failure, empty } = props;
  if (failure) return failure;
  if (loading) return loading;
  if (rows.length === 0 && empty !== undefined) return empty;
  const table = (
    <table className={classes(s.table, cards && s.cards, className)}>
      <caption className={props.captionClass ?? s.caption}>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <Head key={column.key} column={column} {...props} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={props.rowKey(row, at)}>
            {columns.map((column) => (
              <Cell key={column.key} column={column} row={row} at={at} cards={cards} />
            ))}
          </tr>
        ))}
      </tbody>
      <Foot columns={columns} />
    </table>
  );
  return cards ? (
    table
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={s.scroll} aria-label={caption} tabIndex={0}>
      {table}
    </section>
  );
}

function Head<R>({ column, sorted = '', sort }: { column: Column<R> } & Pick<Props<R>, 'sorted' | 'sort'>) {
  const { key, title, number, actions, about, sortable, headCell } = column;
  const up = sorted === key;
  const down = sorted === `-${key}`;
  return (
    <th
      scope="col"
      className={number ? s.number : undefined}
      aria-sort={up ? 'ascending' : down ? 'descending' : undefined}
    >
      {headCell ??
        (sortable && sort ? (
          <>
            <button
              type="button"
              className={s.sort}
              title={about}
              onClick={() => sort(up ? `-${key}` : down ? key : number ? `-${key}` : key)}
            >
              {title}
            </button>
            <span aria-hidden="true">{up ? ' ↑' : down ? ' ↓' : ''}</span>
          </>
        ) : (
          <span className={actions ? text.hidden : undefined} title={about}>
            {title}
          </span>
        ))}
    </th>
  );
}

function Cell<R>({ column, row, at, cards }: { column: Column<R>; row: R; at: number; cards: boolean }) {
  const { title, cell, number, head, actions, span, className, style } = column;
  const covers = span?.(row) ?? 1;
  if (covers === 0) return null;
  if (head) return <th scope="row">{cell(row, at)}</th>;
  return (
    <td
      rowSpan={covers > 1 ? covers : undefined}
      className={
        classes(
          number && s.number,
          actions && s.actions,
          typeof className === 'function' ? className(row) : className,
        ) || undefined
      }
      style={style?.(row)}
      data-label={cards ? (actions ? '' : title) : undefined}
    >
      {cell(row, at)}
    </td>
  );
}

function Foot<R>({ columns }: { columns: Column<R>[] }) {
  if (!columns.some(({ foot }) => foot !== undefined)) return null;
  return (
    <tfoot>
      <tr>
        {columns.map(({ key, foot, number }, at) =>
          at === 0 && foot !== undefined ? (
            <th key={key} scope="row">
              {foot}
            </th>
          ) : (
            <td key={key} className={number ? s.number : undefined}>
              {foot}
            </td>
          ),
        )}
      </tr>
    </tfoot>
  );
}
