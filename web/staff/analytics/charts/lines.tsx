import { useId, useState } from 'react';
import { onDemand } from '../../../kit/design/on-demand';
import text from '../../../kit/design/text.module.css';
import { count, dayOf, monthOf } from '../../parts/format';
import { chartTexts } from '../texts/ru';
import s from './lines.module.css';

const Plot = onDemand(() => import('./plot').then(({ Plot }) => ({ default: Plot })));

/** A line of a chart: a value for each x; null where there is none. */
export type Line = {
  name: string;
  values: (number | null)[];
  /** The value in words. */
  say?: (value: number) => string;
  /** Measured on a scale of its own, at the right. */
  apart?: boolean;
};

/**
 * Values over time: a drawing for the eyes, with a sentence that tells its first, last and highest values. The numbers
 * themselves stand in a table beside it. x are seconds of the epoch, ascending; by says what one of them covers.
 */
export function Lines({
  title,
  x,
  lines,
  steps = false,
  by = 'day',
}: {
  title: string;
  x: number[];
  lines: Line[];
  /** A value holds until the next one. */
  steps?: boolean;
  by?: string;
}) {
  const id = useId();
  const [under, setUnder] = useState<number | null>(null);
  const when = (at: number) => (by === 'month' ? monthOf : dayOf)((x[at] ?? 0) * 1000);
  const said = lines.map(({ name, values, say = count }) => {
    const known = values.flatMap((value, at) => (value === null ? [] : [{ value, at }]));
    const first = known[0];
    const last = known.at(-1);
    if (!first || !last) return chartTexts.nothing(name);
    const top = known.reduce((best, one) => (one.value > best.value ? one : best));
    return chartTexts.span(
      name,
      say(first.value),
      when(first.at),
      say(last.value),
      when(last.at),
      say(top.value),
      when(top.at),
    );
  });
  return (
    <figure className={s.figure} aria-labelledby={id}>
      <ul className={s.legend} aria-hidden="true">
        {under === null ? null : <li className={s.when}>{when(under)}</li>}
        {lines.map(({ name, values, say = count }, at) => {
          const value = under === null ? undefined : values[under];
          return (
            <li key={name}>
              <svg width="22" height="8" viewBox="0 0 22 8" className={s[`line${at}`]} aria-hidden="true">
                <path d="M1 4h20" />
              </svg>
              {name}
              {value === undefined || value === null ? null : <b>{say(value)}</b>}
            </li>
          );
        })}
      </ul>
      <div className={s.plot} aria-hidden="true">
        <Plot x={x} lines={lines} steps={steps} hover={setUnder} />
      </div>
      <figcaption id={id} className={s.said}>
        <span className={text.hidden}>{title}. </span>
        {said.join(' ')}
      </figcaption>
    </figure>
  );
}
