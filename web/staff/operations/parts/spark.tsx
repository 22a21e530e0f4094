import { rate } from '../../parts/format';
import { projectionTexts } from '../texts/ru';
import s from './spark.module.css';

const width = 120;
const height = 32;

/** The last minutes of a rate as a line; its words say the same. */
export function Spark({ values, name, step }: { values: number[]; name: string; step: number }) {
  const peak = Math.max(...values, 0);
  const now = values.at(-1) ?? 0;
  const minutes = Math.max(1, Math.round((values.length * step) / 60));
  const top = Math.max(peak, 1);
  const x = (at: number) => ((at / Math.max(1, values.length - 1)) * width).toFixed(1);
  const y = (value: number) => (height - 2 - (value / top) * (height - 5)).toFixed(1);
  const line = values.map((value, at) => `${at === 0 ? 'M' : 'L'}${x(at)} ${y(value)}`).join('');
  const said = projectionTexts.rateSaid(name, rate(now), rate(peak), minutes);
  return (
    <svg
      className={s.spark}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={said}
    >
      <title>{said}</title>
      <path className={s.base} d={`M0 ${height - 2}H${width}`} />
      {values.length > 1 ? (
        <>
          <path className={s.area} d={`${line}L${width} ${height - 2}L0 ${height - 2}Z`} />
          <path className={s.line} d={line} />
        </>
      ) : null}
    </svg>
  );
}
