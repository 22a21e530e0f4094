import type { Report } from '../api/contract';
import { Bars } from '../charts/bars';
import { Lines } from '../charts/lines';
import { begins, isPeriod, say, wayTo } from './cells';

/** As many bars as the eye can compare. */
export const mostBars = 12;

/** What a report draws: lines over time, or its first rows as bars. */
export function Chart({ report }: { report: Report }) {
  const { chart, columns, rows, title } = report;
  const x = columns.find(({ key }) => key === chart?.x);
  const y = (chart?.y ?? []).flatMap((key) => columns.find((column) => column.key === key) ?? []);
  const first = y[0];
  if (!x || !first || rows.length === 0) return null;
  if (isPeriod(x.kind)) {
    const ordered = rows.toSorted((a, b) => String(a[x.key]).localeCompare(String(b[x.key])));
    const times = ordered.map((row) => begins(String(row[x.key])));
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
      label={`${first.title} by ${x.title.toLowerCase()}`}
      bars={rows.slice(0, mostBars).map((row) => ({
        name: say(x.kind, row[x.key]),
        value: Number(row[first.key] ?? 0),
        said: say(first.kind, row[first.key]),
        to: wayTo(x, row),
      }))}
    />
  );
}
