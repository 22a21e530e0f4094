import x from '../../../kit/design/text.module.css';
import { Table, type Column as TableColumn } from '../../../kit/table/table';
import type { Column, Report } from '../api/types';
import { Bars } from '../charts/bars';
import { Lines } from '../charts/lines';
import { chartTexts } from '../texts/ru';
import { isPeriod, linkOf, periodStart, say } from './cells';
import s from './reports.module.css';

/** As many bars as the eye can compare. */
export const mostBars = 12;

/** What a report draws: lines over time, or its first rows as bars. */
export function Chart({ report }: { report: Report }) {
  const { chart, columns, rows, title } = report;
  const x = columns.find(({ key }) => key === chart?.x);
  const y = (chart?.y ?? []).flatMap((key) => columns.find((column) => column.key === key) ?? []);
  const first = y[0];
  if (!x || !first || rows.length === 0) return null;
  const across = columns[0];
  if (across && across !== x && across.key !== report.by && isPeriod(across.kind))
    return <Pivot report={report} down={across} across={x} cell={first} />;
  if (isPeriod(x.kind)) {
    const ordered = rows.toSorted((a, b) => String(a[x.key]).localeCompare(String(b[x.key])));
    const times = ordered.map((row) => periodStart(String(row[x.key])));
    // One point is no line, and several rows of a period are no function of time.
    if (times.length < 2 || new Set(times).size < times.length) return null;
    return (
      <Lines
        title={title}
        x={times}
        by={x.kind}
        lines={y.map(({ key, kind, title }) => ({
          name: title,
          values: ordered.map((row) => (typeof row[key] === 'number' ? row[key] : null)),
          say: (value) => say(kind, value),
          apart: kind !== first.kind,
        }))}
      />
    );
  }
  return (
    <Bars
      label={chartTexts.by(first.title, x.title.toLowerCase())}
      bars={rows.slice(0, mostBars).map((row) => ({
        name: say(x.kind, row[x.key]),
        value: Number(row[first.key] ?? 0),
        said: say(first.kind, row[first.key]),
        to: linkOf(x, row),
      }))}
    />
  );
}

/** The more of the most, the darker. */
const shade = (value: unknown, most: number) =>
  typeof value === 'number' && value > 0
    ? { background: `color-mix(in srgb, var(--sage) ${Math.round((100 * value) / most)}%, transparent)` }
    : undefined;

/** Rows laid out in both directions: cohorts by months since their first order. Months without a row had not come yet. */
function Pivot({
  report: { rows },
  down,
  across,
  cell,
}: {
  report: Report;
  down: Column;
  across: Column;
  cell: Column;
}) {
  const values = (column: Column) => [...new Set(rows.map((row) => row[column.key] ?? null))];
  const heads = Array.from({ length: 1 + Math.max(...values(across).map(Number)) }, (_, month) => month);
  const most = Math.max(1, ...rows.map((row) => Number(row[cell.key] ?? 0)));
  const label = chartTexts.byTwo(cell.title, down.title.toLowerCase(), across.title.toLowerCase());
  type Line = string | number | null;
  const at = (name: Line, head: number) =>
    rows.find((one) => one[down.key] === name && one[across.key] === head);
  const columns: TableColumn<Line>[] = [
    { key: 'name', title: down.title, head: true, cell: (name) => say(down.kind, name) },
    ...heads.map(
      (head): TableColumn<Line> => ({
        key: String(head),
        title: say(across.kind, head),
        number: true,
        style: (name) => shade(at(name, head)?.[cell.key] ?? 0, most),
        cell: (name) => {
          const row = at(name, head);
          return row ? say(cell.kind, row[cell.key]) : <span className={x.hidden}>{chartTexts.notYet}</span>;
        },
      }),
    ),
  ];
  return (
    <Table
      caption={label}
      columns={columns}
      rows={values(down)}
      rowKey={(name) => String(name)}
      className={s.pivot}
      captionClass={s.caption}
    />
  );
}
