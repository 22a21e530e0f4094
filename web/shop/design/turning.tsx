import { type RefObject, useEffect, useState } from 'react';
import { IconButton } from '../../kit/design/button';
import { sliderTexts } from '../texts/design';
import { useMedia } from './use-media';

/** The chunk that scrolls rows is not part of the first paint. Until it arrives rows scroll by hand. */
const turn = (row: HTMLElement, columns: number, duration: number): void =>
  void import('./turn').then((chunk) => chunk.turn(row, columns, duration)).catch(() => {});

/** Loads all pictures of a row once the row is in sight, so that none is missing when it turns some seconds later. */
function ahead(row: HTMLElement | null) {
  if (!row) return;
  const sight = new IntersectionObserver(([found]) => {
    if (!found?.isIntersecting) return;
    for (const image of row.querySelectorAll('img')) image.loading = 'eager';
    sight.disconnect();
  });
  sight.observe(row);
  return () => sight.disconnect();
}

/**
 * Turns a row by itself, one column each so many milliseconds, while it is in sight. It stands still while a pointer or
 * the keyboard is on it, behind a dialog, when the shopper stops it, and for those who asked for less motion. Returns
 * what the element around the row listens to, the button that stops it, and what turns it by so many columns.
 */
export function useTurning(
  row: RefObject<HTMLElement | null>,
  label: string,
  delay: number,
  duration: number,
) {
  const [stopped, setStopped] = useState(false);
  const [held, setHeld] = useState(false);
  const calm = useMedia('(prefers-reduced-motion: reduce)');
  useEffect(() => {
    if (stopped || held || calm) return;
    const timer = setInterval(() => {
      const { top = 0, bottom = 0 } = row.current?.getBoundingClientRect() ?? {};
      const middle = (top + bottom) / 2;
      const seen = !document.hidden && !document.querySelector('dialog[open]');
      if (row.current && seen && middle > 0 && middle < innerHeight) turn(row.current, 1, duration);
    }, delay);
    return () => clearInterval(timer);
  }, [row, delay, duration, stopped, held, calm]);
  useEffect(() => ahead(row.current), [row]);
  return {
    turn: (columns: number) => row.current && turn(row.current, columns, duration),
    holding: {
      onPointerEnter: () => setHeld(true),
      onPointerLeave: () => setHeld(false),
      onFocus: ({ target }: { target: Element }) => setHeld(target.matches(':focus-visible')),
      onBlur: () => setHeld(false),
    },
    pause: calm ? null : (
      <IconButton
        icon={stopped ? 'play' : 'pause'}
        size={20}
        label={`${stopped ? sliderTexts.play : sliderTexts.pause}: ${label}`}
        onClick={() => setStopped(!stopped)}
      />
    ),
  };
}
