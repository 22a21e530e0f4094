import { classes } from '../../../kit/design/classes';
import { Icon } from '../../../kit/design/icon';
import { stepperTexts } from '../../texts/product';
import { basket } from './basket-store';
import s from './stepper.module.css';

/** Minus, count and plus of a line; shows a message when the stock allows no more. */
export function Stepper({
  line,
  onLimit,
  wide = false,
}: {
  line: { id: string; name: string; count: number };
  onLimit?: () => void;
  wide?: boolean;
}) {
  return (
    <fieldset className={classes(s.stepper, wide && s.wide)} aria-label={stepperTexts.quantity(line.name)}>
      <button type="button" aria-label={stepperTexts.minus} onClick={() => basket.minus(line.id)}>
        <Icon name="minus" size={20} />
      </button>
      <output className={s.count} aria-live="polite">
        {line.count}
      </output>
      <button
        type="button"
        aria-label={stepperTexts.plus}
        onClick={() => {
          if (!basket.plus(line.id)) onLimit?.();
        }}
      >
        <Icon name="plus" size={20} />
      </button>
    </fieldset>
  );
}
