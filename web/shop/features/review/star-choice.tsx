import { type ComponentProps, useId } from 'react';
import { FormError } from '../../../kit/design/field';
import type { Message } from '../../../kit/design/message';
import { Hidden } from '../../design/layout';
import { reviewTexts } from '../../texts/review';
import s from './star-choice.module.css';

const values = [1, 2, 3, 4, 5];

/** One to five stars as a radio group; the props go to each radio. */
export function StarChoice({ error, ...radio }: { error?: Message } & ComponentProps<'input'>) {
  const id = useId();
  return (
    <fieldset className={s.group} aria-describedby={id}>
      <legend className={s.legend}>{reviewTexts.rating}</legend>
      <div className={s.stars}>
        {values.map((value) => (
          <label key={value} className={s.star}>
            <input type="radio" value={value} required aria-invalid={Boolean(error)} {...radio} />
            <svg width="36" height="36" viewBox="0 0 24 24" aria-hidden="true">
              <path d="m12 2.6 2.9 6 6.6.9-4.8 4.6 1.2 6.5-5.9-3.1-5.9 3.1 1.2-6.5-4.8-4.6 6.6-.9z" />
            </svg>
            <Hidden>{reviewTexts.stars(value)}</Hidden>
          </label>
        ))}
      </div>
      <FormError id={id}>{error}</FormError>
    </fieldset>
  );
}
