import type { ReactNode } from 'react';
import { designTexts } from '../texts/design';
import { formatRating } from './format';
import s from './rating.module.css';

const star = 'l2 4.3 4.7.6-3.5 3.2.9 4.7-4.1-2.3-4.1 2.3.9-4.7-3.5-3.2 4.7-.6z';
const stars = [8, 24, 40, 56, 72].map((x) => `M${x} 1.3${star}`).join('');

/** 0 to 5 stars, read-only; children follow them, such as a count of reviews. */
export function Rating({ value, children }: { value: number; children?: ReactNode }) {
  const label = value > 0 ? designTexts.rating(formatRating(value)) : designTexts.notRated;
  return (
    <span className={s.rating}>
      <svg width="80" height="16" viewBox="0 0 80 16" role="img" aria-label={label}>
        <path className={s.track} d={stars} />
        {/* A nested drawing clips what is outside it, so no style and no id are needed. */}
        <svg width={(value / 5) * 80} height="16" aria-hidden="true">
          <path className={s.value} d={stars} />
        </svg>
      </svg>
      {children}
    </span>
  );
}
