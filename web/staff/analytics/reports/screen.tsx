import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { Problem } from '../../src/api/problem';
import { search } from '../../staff/api/client';
import { count, counted, exact, moment } from '../../staff/parts/format';
import { Action, Failed, Head, Loaded, Nothing } from '../../staff/parts/parts';
import { type Asking, queries, reportPath } from '../api/queries';
import type { Report, ReportKind } from '../api/types';
import { Command } from '../parts';
import { Chart, mostBars } from './chart';
import { Filters } from './filters';
import s from './reports.module.css';
import { Rows } from './table';

const page = 50;

/** A report as its answer describes itself; above stands what only this one shows. */
export function ReportScreen({ name, above }: { name: string; above?: (report: Report) => ReactNode }) {
  const kinds = useQuery(queries.reports());
  const kind = kinds.data?.find((one) => one.name === name);
  if (kinds.data && !kind)
    return (
      <>
        <Head title="Report" />
        <Nothing title="There is no such report">Choose one of the list of reports.</Nothing>
      </>
    );
  return (
    <>
      <Head title={kind?.title ?? 'Report'} lead={kind?.about} />
      <Loaded query={kinds} what="The report">
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
  const start = Number(offset) || 0;
  const wrong = found.error instanceof Problem && found.error.status === 400;
  return (
    <div className={s.report}>
      <Filters kind={kind} asking={asking} ask={ask} />
      {wrong ? (
        <Failed error={found.error} what="The report" retry={() => ask({})} />
      ) : (
        <Loaded query={found} what="The report">
          {(report) => (
            <>
              <At report={report} asking={narrow} />
              {above?.(report)}
              {report.count === 0 ? (
                report.steps ? null : (
                  <Nothing title="Nothing in this time">Choose other days, or everything.</Nothing>
                )
              ) : report.rows.length === 0 ? (
                <Nothing title="No more rows">
                  There are {count(report.count)}.{' '}
                  <Action kind="plain" onClick={() => ask({ ...narrow, sort })}>
                    Begin with the first
                  </Action>
                </Nothing>
              ) : (
                <>
                  <Chart report={whole ? report : (drawn.data ?? { ...report, rows: [] })} />
                  <div className={s.tools}>
                    <p className={s.said} role="status">
                      {report.count > report.rows.length
                        ? `Rows ${count(start + 1)} to ${count(start + report.rows.length)} of ${count(report.count)}`
                        : counted(report.count, 'row')}
                    </p>
                    <a
                      className={s.csv}
                      href={reportPath(kind.name, { ...narrow, sort, format: 'csv' })}
                      download
                    >
                      Download CSV
                    </a>
                  </div>
                  <Rows report={report} sorted={sort ?? ''} sort={(by) => ask({ ...narrow, sort: by })} />
                  {report.count > page ? (
                    <div className={s.pages}>
                      <Action
                        disabled={start === 0}
                        onClick={() =>
                          ask({ ...narrow, sort, offset: start > page ? String(start - page) : '' })
                        }
                      >
                        Rows before
                      </Action>
                      <Action
                        disabled={start + page >= report.count}
                        onClick={() => ask({ ...narrow, sort, offset: String(start + page) })}
                      >
                        Rows after
                      </Action>
                    </div>
                  ) : null}
                </>
              )}
              {report.notes.length > 0 ? (
                <ul className={s.notes} aria-label="Notes">
                  {report.notes.map((note) => (
                    <li key={note}>{note}</li>
                  ))}
                </ul>
              ) : null}
              <Command line={commandOf(kind.name, narrow, report.position)} />
            </>
          )}
        </Loaded>
      )}
    </div>
  );
}

/** What a number was computed at; with all of it the same question gives the same number. */
export function At({ report, asking = {} }: { report: Report; asking?: Asking }) {
  const days = [asking.from && `from ${asking.from}`, asking.to && `to ${asking.to}`]
    .filter(Boolean)
    .join(' ');
  return (
    <p className={s.at}>
      As of log position <b>{count(report.position)}</b>
      {report.as_of ? (
        <>
          ,{' '}
          <time dateTime={report.as_of} title={exact(report.as_of)}>
            {moment(report.as_of)}
          </time>
        </>
      ) : null}
      {days ? `; ${days}` : ''}
    </p>
  );
}

/** The command line that computes the same again. */
export function commandOf(name: string, asking: Asking, position: number): string {
  const flags = Object.entries(asking)
    .filter(([, value]) => value)
    .map(([flag, value]) => ` --${flag} ${/^[\w.-]+$/.test(value as string) ? value : `'${value}'`}`);
  return `shop reports ${name}${flags.join('')} --at ${position}`;
}

/** The address of a report's screen. */
export const screenOf = (name: string, asking: Asking = {}) =>
  `/analytics/${name === 'funnel' ? 'funnel' : `reports/${name}`}${search(asking)}`;
