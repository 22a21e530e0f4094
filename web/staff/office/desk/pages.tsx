import { count } from '../../parts/format';
import { Action } from '../../parts/parts';
import s from './desk.module.css';

/** How many rows a page of a desk's list has. */
export const page = 50;

/** Turns the pages of a list whose place stands in the address. all: how many rows there are; unknown when more may follow. */
export function Pages({
  label,
  offset,
  shown,
  all,
  turn,
}: {
  label: string;
  offset: number;
  /** How many rows this page has. */
  shown: number;
  all?: number;
  turn: (to: number) => void;
}) {
  const more = all === undefined ? shown === page : offset + shown < all;
  if (offset === 0 && !more) return null;
  return (
    <nav className={s.pages} aria-label={label}>
      <Action disabled={offset === 0} onClick={() => turn(Math.max(0, offset - page))}>
        ←
      </Action>
      <span>
        {count(offset + (shown > 0 ? 1 : 0))}–{count(offset + shown)}
      </span>
      <Action disabled={!more} onClick={() => turn(offset + page)}>
        →
      </Action>
    </nav>
  );
}
