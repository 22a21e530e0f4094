import { type ReactNode, useRef } from 'react';
import { classes } from '../../../kit/design/classes';
import { Icon } from '../../../kit/design/icon';
import { stepperTexts } from '../../texts/product';
import { basket } from './basket-store';
import s from './stepper.module.css';

type Line = { id: string; name: string; count: number };

/** Minus, count and plus of a line; shows a message when the stock allows no more. */
export function Stepper({ line, onLimit }: { line: Line; onLimit: () => void }) {
  return (
    <fieldset className={s.stepper} aria-label={stepperTexts.quantity(line.name)}>
      <Fewer line={line} />
      <button type="button" {...more(line, onLimit)} />
    </fieldset>
  );
}

/**
 * A button that puts a product into the basket and becomes the plus of its stepper: it is one element for the browser, so
 * the focus stays on it, and no focused element goes, for which browsers lay out the page twice.
 */
export function AddingStepper({
  line,
  onLimit,
  button,
}: {
  /** Undefined while the product is not in the basket. */
  line: Line | undefined;
  onLimit: () => void;
  button: { className: string; 'aria-label': string | undefined; onClick: () => void; children: ReactNode };
}) {
  const last = useRef<HTMLButtonElement>(null);
  return (
    <fieldset
      className={line ? classes(s.stepper, s.wide) : s.alone}
      role={line ? undefined : 'none'}
      aria-label={line && stepperTexts.quantity(line.name)}
    >
      {line ? <Fewer line={line} onNone={() => last.current?.focus({ preventScroll: true })} /> : null}
      <button type="button" ref={last} {...(line ? more(line, onLimit) : button)} />
    </fieldset>
  );
}

/** Before the last piece goes, and this button with it, onNone may bring the focus elsewhere. */
function Fewer({ line, onNone }: { line: Line; onNone?: () => void }) {
  return (
    <>
      <button
        type="button"
        aria-label={stepperTexts.minus}
        onClick={() => {
          if (line.count === 1) onNone?.();
          basket.minus(line.id);
        }}
      >
        <Icon name="minus" size={20} />
      </button>
      <output className={s.count} aria-live="polite">
        {line.count}
      </output>
    </>
  );
}

const more = (line: Line, onLimit: () => void) => ({
  'aria-label': stepperTexts.plus,
  onClick: () => {
    if (!basket.plus(line.id)) onLimit();
  },
  children: <Icon name="plus" size={20} />,
});
