import type { ReactNode } from 'react';
import { Link } from '../../../kit/design/link';
import t from '../../../kit/table/table.module.css';
import s from './bars.module.css';

export type Bar = { name: string; value: number; said: ReactNode; to?: string };

/** The largest values as bars with their names and numbers, so that nothing is in the drawing alone. */
export function Bars({ label, bars }: { label: string; bars: Bar[] }) {
  const top = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ol className={s.bars} aria-label={label}>
      {bars.map(({ name, value, said, to }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two categories may have one name
        <li key={at}>
          <span className={s.name}>
            {to ? (
              <Link className={t.link} to={to}>
                {name}
              </Link>
            ) : (
              name
            )}
          </span>
          <svg className={s.bar} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <path className={s.track} d="M0 0h100v10H0z" />
            <path className={s.fill} d={`M0 0h${((Math.max(0, value) / top) * 100).toFixed(2)}v10H0z`} />
          </svg>
          <span className={s.said}>{said}</span>
        </li>
      ))}
    </ol>
  );
}
