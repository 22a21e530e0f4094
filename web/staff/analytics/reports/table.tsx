import { Table, type Column as TableColumn } from '../../../kit/table/table';
import type { Column, Report, Row } from '../api/types';
import { reportTexts } from '../texts/ru';
import { Cell, isNumber, say } from './cells';
import s from './reports.module.css';

/** The columns of a report as those of a table: the first names the row, and every one sorts. */
export const columnsOf = (columns: Column[], total?: Row | null): TableColumn<Row>[] =>
  columns.map((column, at) => {
    const { key, title, kind, about } = column;
    return {
      key,
      title,
      about,
      head: at === 0,
      number: isNumber(kind),
      sortable: true,
      value: (row) => row[key],
      cell: (row) => <Cell column={column} row={row} />,
      ...(total ? { foot: at === 0 ? reportTexts.inAll : key in total ? say(kind, total[key]) : null } : {}),
    };
  });

/** A report's rows. A column is sorted by pressing its head: numbers begin with the greatest. */
export function Rows({
  report: { columns, rows, total, title },
  sorted,
  sort,
}: {
  report: Pick<Report, 'title' | 'columns' | 'rows' | 'total'>;
  /** The key sorted by, after a minus when the greatest stands first; '' is the report's own order. */
  sorted: string;
  sort: (by: string) => void;
}) {
  return (
    <Table
      caption={reportTexts.rows(title)}
      columns={columnsOf(columns, total)}
      rows={rows}
      rowKey={(_, at) => at}
      className={s.table}
      sorted={sorted}
      sort={sort}
    />
  );
}
