import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from '../../../kit/api/problem';
import { useSearchParams } from '../../../kit/router/router';
import { count } from '../../parts/format';
import { Action, Failed, Head, Loaded, Nothing } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import { type Asking, queries, reportPath } from '../api/queries';
import type { Report, ReportKind } from '../api/types';
import { Command } from '../parts';
import { reportTexts } from '../texts/ru';
import { Chart, mostBars } from './chart';
import { Filters } from './filters';
import { ComputedAt, commandOf } from './place';
import s from './reports.module.css';
import { Rows } from './table';
import { worded, wordedKind } from './worded';

const page = 50;

/** A report as its answer describes itself; above stands what only this one shows. */
export function ReportScreen({ name, above }: { name: string; above?: (report: Report) => ReactNode }) {
  const kinds = useQuery(queries.reports());
  const kind = kinds.data?.find((one) => one.name === name);
  const { title, about } = kind ? wordedKind(kind) : { title: reportTexts.title, about: undefined };
  if (kinds.data && !kind)
    return (
      <>
        <Head title={reportTexts.title} />
        <Nothing title={reportTexts.noSuch}>{reportTexts.noSuchWhy}</Nothing>
      </>
    );
  return (
    <>
      <Head title={title} lead={about} />
      <Loaded query={kinds} what={reportTexts.whatOne}>
        {() => (kind ? <Asked kind={kind} above={above} /> : null)}
      </Loaded>
    </>
  );
}

function Asked({ kind, above }: { kind: ReportKind; above?: (report: Report) => ReactNode }) {
  const [address, setAddress] = useSearchParams();
  const asking: Asking = Object.fromEntries(address);
  const { sort, offset, ...narrow } = asking;
  const found = useQuery(queries.report(kind.name, { ...asking, limit: String(page) }));
  const report = found.data;
  // The drawing shows all periods, or the first rows in the report's own order, whatever the table shows.
  const whole = report && report.rows.length === report.count && !sort && !offset;
  const bars = report?.chart && report.chart.x !== report.by && report.columns[0]?.key === report.chart.x;
  const drawn = useQuery({
    ...queries.report(kind.name, bars ? { ...narrow, limit: String(mostBars) } : narrow),
    enabled: Boolean(report?.chart) && !whole,
  });
  const ask = (next: Asking) =>
    setAddress(Object.entries(next).filter((one): one is [string, string] => Boolean(one[1])));
  const wrong = found.error instanceof Problem && found.error.status === 400;
  return (
    <div className={s.report}>
      <Filters kind={kind} asking={asking} ask={ask} />
      {wrong ? (
        <Failed error={found.error} what={reportTexts.whatOne} retry={() => ask({})} />
      ) : (
        <Loaded query={found} what={reportTexts.whatOne}>
          {(said) => {
            const report = worded(said);
            return (
              <>
                <ComputedAt report={report} asking={narrow} />
                {above?.(report)}
                <ReportRows
                  kind={kind}
                  report={report}
                  chart={whole ? report : drawn.data ? worded(drawn.data) : { ...report, rows: [] }}
                  asking={asking}
                  ask={ask}
                />
                {report.notes.length > 0 ? (
                  <ul className={s.notes} aria-label={reportTexts.notes}>
                    {report.notes.map((note) => (
                      <li key={note}>{note}</li>
                    ))}
                  </ul>
                ) : null}
                <Command line={commandOf(kind.name, narrow, report.position)} />
              </>
            );
          }}
        </Loaded>
      )}
    </div>
  );
}

/** The drawing of a report and a page of its rows, or why there are none. */
function ReportRows({
  kind,
  report,
  chart,
  asking,
  ask,
}: {
  kind: ReportKind;
  report: Report;
  chart: Report;
  asking: Asking;
  ask: (next: Asking) => void;
}) {
  const { sort, offset, ...narrow } = asking;
  const start = Number(offset) || 0;
  if (report.count === 0)
    return report.steps ? null : <Nothing title={reportTexts.nothing}>{reportTexts.nothingWhy}</Nothing>;
  if (report.rows.length === 0)
    return (
      <Nothing title={reportTexts.noMore}>
        {reportTexts.thereAre(count(report.count))}{' '}
        <Action kind="plain" onClick={() => ask({ ...narrow, sort })}>
          {reportTexts.first}
        </Action>
      </Nothing>
    );
  return (
    <>
      <Chart report={chart} />
      <div className={s.tools}>
        <p className={s.said} role="status">
          {report.count > report.rows.length
            ? reportTexts.rowsOf(count(start + 1), count(start + report.rows.length), count(report.count))
            : countTexts.rows(report.count)}
        </p>
        <a className={s.csv} href={reportPath(kind.name, { ...narrow, sort, format: 'csv' })} download>
          {reportTexts.csv}
        </a>
      </div>
      <Rows report={report} sorted={sort ?? ''} sort={(by) => ask({ ...narrow, sort: by })} />
      {report.count > page ? (
        <div className={s.pages}>
          <Action
            disabled={start === 0}
            onClick={() => ask({ ...narrow, sort, offset: start > page ? String(start - page) : '' })}
          >
            {reportTexts.before}
          </Action>
          <Action
            disabled={start + page >= report.count}
            onClick={() => ask({ ...narrow, sort, offset: String(start + page) })}
          >
            {reportTexts.after}
          </Action>
        </div>
      ) : null}
    </>
  );
}
