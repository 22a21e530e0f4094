import { type ReactNode, useRef } from 'react';
import { designTexts } from '../texts/design';
import { IconButton } from './button';
import s from './rail.module.css';

/** A row that scrolls sideways with snapping: by touch, by keyboard, or by the two buttons. */
export function Rail({ label, children }: { label: string; children: ReactNode }) {
  const ref = useRef<HTMLUListElement>(null);
  const move = (way: 1 | -1) => {
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const rail = ref.current;
    rail?.scrollBy({ left: way * rail.clientWidth * 0.8, behavior: calm ? 'auto' : 'smooth' });
  };
  return (
    <div className={s.wrap}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <ul className={s.rail} ref={ref} aria-label={label} tabIndex={0}>
        {children}
      </ul>
      <div className={s.nav}>
        <IconButton icon="left" size={20} label={designTexts.back} onClick={() => move(-1)} />
        <IconButton icon="right" size={20} label={designTexts.forward} onClick={() => move(1)} />
      </div>
    </div>
  );
}
