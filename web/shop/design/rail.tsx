import { type ReactNode, useRef } from 'react';
import { IconButton } from '../../kit/design/button';
import { classes } from '../../kit/design/classes';
import { sliderTexts } from '../texts/design';
import s from './rail.module.css';
import { useTurning } from './turning';

/** Milliseconds that a row stands still before it turns. */
const delays = { products: 3000, categories: 3000, brands: 2000 };
/** Milliseconds of one turn. */
const speed = 800;

/**
 * A row that scrolls sideways with snapping: by touch, by keyboard, by its buttons, or by itself. How many are in view
 * depends on what it holds.
 */
export function Rail({
  kind,
  label,
  children,
}: {
  kind: keyof typeof delays;
  label: string;
  children: ReactNode;
}) {
  const row = useRef<HTMLUListElement>(null);
  const { holding, pause, turn } = useTurning(row, label, delays[kind], speed);
  return (
    <div className={classes(s.wrap, s[kind])} {...holding}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <ul className={s.rail} ref={row} aria-label={label} tabIndex={0}>
        {children}
      </ul>
      <div className={s.nav}>
        {pause}
        <IconButton icon="left" size={20} label={`${sliderTexts.back}: ${label}`} onClick={() => turn(-2)} />
        <IconButton
          icon="right"
          size={20}
          label={`${sliderTexts.forward}: ${label}`}
          onClick={() => turn(2)}
        />
      </div>
    </div>
  );
}
