import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import { type Carry, nearest, type Place, pickedUp, placeOf, type Row, type Spot, stepped } from './place';

/** A press that moves less than so many px is a click. */
const threshold = 5;
/** So near to an edge of the screen a pointer scrolls the page, by so many px a frame. */
const edge = 64;
const pace = 12;

type Drag = { id: string; x: number; y: number; now: { x: number; y: number }; begun: boolean };

/** What a carried category tells those who do not see it. */
export type Tell = (what: 'taken' | 'over' | 'put' | 'left', carry: Carry) => void;

/**
 * Moves categories of a list by their handles. A pointer drags: up and down chooses the gap, sideways the level. By keyboard a press of
 * the handle picks up and puts down, arrows move and Escape leaves everything as it was.
 */
export function useCarry(
  list: RefObject<HTMLElement | null>,
  shown: Row[],
  all: Row[],
  put: (id: string, place: Place) => void,
  tell: Tell,
) {
  const [carry, setCarry] = useState<Carry>();
  const drag = useRef<Drag>(undefined);
  // A browser follows the end of a drag by a click on the handle.
  const dragged = useRef(false);

  const take = (id: string) => {
    const taken = pickedUp(shown, all, id);
    setCarry(taken);
    if (taken) tell('taken', taken);
    return taken;
  };
  const move = (from: Carry, spot: Spot) => {
    if (spot.gap === from.spot.gap && spot.depth === from.spot.depth) return;
    const next = { ...from, spot };
    setCarry(next);
    tell('over', next);
  };
  const end = (what: 'put' | 'left') => {
    drag.current = undefined;
    setCarry(undefined);
    if (!carry) return;
    tell(what, carry);
    if (what === 'put') put(carry.id, placeOf(carry));
  };
  const follow = () => {
    const { current } = drag;
    const rows = list.current;
    if (!current?.begun || !carry || !rows) return;
    move(carry, nearest(carry, under(rows, carry, current, depthOf(shown, carry.id))));
  };

  // Rows move below a pointer that rests at an edge.
  const followed = useRef(follow);
  followed.current = follow;
  const dragging = carry !== undefined && drag.current?.begun === true;
  useEffect(() => {
    if (!dragging) return;
    let frame = requestAnimationFrame(function scroll() {
      const y = drag.current?.now.y ?? edge;
      const by = y < edge ? -pace : y > window.innerHeight - edge ? pace : 0;
      if (by !== 0) {
        window.scrollBy(0, by);
        followed.current();
      }
      frame = requestAnimationFrame(scroll);
    });
    return () => cancelAnimationFrame(frame);
  }, [dragging]);

  const handle = (id: string) => ({
    'aria-pressed': carry?.id === id,
    onClick: ({ detail }: MouseEvent) => {
      const byPointer = detail > 0;
      if (byPointer && dragged.current) dragged.current = false;
      else if (carry) end('put');
      else take(id);
    },
    onBlur: () => carry && !drag.current && end('left'),
    onKeyDown: (event: KeyboardEvent) => {
      if (!carry) return;
      if (event.key === 'Escape') {
        event.preventDefault();
        return end('left');
      }
      const spot = stepped(carry, event.key);
      if (!spot) return;
      event.preventDefault();
      move(carry, spot);
    },
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      dragged.current = false;
      if (event.button !== 0 || carry) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const at = { x: event.clientX, y: event.clientY };
      drag.current = { id, ...at, now: at, begun: false };
    },
    onPointerMove: (event: PointerEvent) => {
      const { current } = drag;
      if (!current) return;
      current.now = { x: event.clientX, y: event.clientY };
      if (current.begun) return follow();
      if (Math.hypot(current.now.x - current.x, current.now.y - current.y) < threshold) return;
      current.begun = true;
      dragged.current = true;
      take(id);
    },
    onPointerUp: () => {
      if (drag.current?.begun) end('put');
      drag.current = undefined;
    },
    onPointerCancel: () => end('left'),
  });
  return { carry, handle };
}

const depthOf = (rows: Row[], id: string) => rows.find(({ entry }) => entry.id === id)?.depth ?? 0;

/** How wide a level is, in rem: the style sheet indents by it as well. */
export const indent = 1.5;

/** The spot below a pointer: the gap by the middles of the rows that stay, the depth by how far it went sideways. */
function under(list: HTMLElement, { stay }: Carry, { x, now }: Drag, depth: number): Spot {
  const rows = new Map(
    [...list.querySelectorAll<HTMLElement>('[data-row]')].map((row) => [row.dataset.row, row]),
  );
  const gap = stay.findIndex(({ entry }) => {
    const box = rows.get(entry.id)?.getBoundingClientRect();
    return box && now.y < box.top + box.height / 2;
  });
  const level = indent * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return { gap: gap < 0 ? stay.length : gap, depth: depth + Math.round((now.x - x) / level) };
}
