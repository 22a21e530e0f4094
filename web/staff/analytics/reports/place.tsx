import { Rich } from '../../../kit/texts/rich';
import { search } from '../../api/client';
import { count, exact, moment } from '../../parts/format';
import type { Asking } from '../api/queries';
import type { Report } from '../api/types';
import { reportTexts } from '../texts/ru';
import s from './reports.module.css';

/** The log position, time and days that a number was computed for: with the same ones it is the same number. */
export function ComputedAt({ report, asking = {} }: { report: Report; asking?: Asking }) {
  const days = [asking.from && reportTexts.from(asking.from), asking.to && reportTexts.to(asking.to)]
    .filter(Boolean)
    .join(' ');
  return (
    <p className={s.at}>
      <Rich text={reportTexts.position(count(report.position))} />
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

/** The command line that computes the same report. */
export function commandOf(name: string, asking: Asking, position: number): string {
  const flags = Object.entries(asking)
    .filter(([, value]) => value)
    .map(([flag, value]) => ` --${flag} ${/^[\w.-]+$/.test(value as string) ? value : `'${value}'`}`);
  return `shop reports ${name}${flags.join('')} --at ${position}`;
}

/** The address of a report's screen. */
export const screenOf = (name: string, asking: Asking = {}) =>
  `/analytics/${name === 'funnel' ? 'funnel' : `reports/${name}`}${search(asking)}`;
