import type { ReactNode } from 'react';
import { Link } from '../../../kit/design/link';
import t from '../../../kit/table/table.module.css';
import s from './bars.module.css';
import { Share } from './share';

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
          <Share of={value / top} />
          <span className={s.said}>{said}</span>
        </li>
      ))}
    </ol>
  );
}
