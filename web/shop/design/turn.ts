/** Ends the scrolling of a row that is under way. */
const turns = new WeakMap<HTMLElement, AbortController>();

/** Scrolls a row sideways in so many milliseconds, or at once under reduced motion. A touch ends it. */
function glide(row: HTMLElement, left: number, duration: number): void {
  turns.get(row)?.abort();
  const turn = new AbortController();
  const { signal } = turn;
  turns.set(row, turn);
  for (const hand of ['pointerdown', 'wheel']) {
    row.addEventListener(hand, () => turn.abort(), { signal, passive: true });
  }
  // Snapping would move the row back at each step.
  row.style.scrollSnapType = 'none';
  signal.addEventListener('abort', () => {
    row.style.scrollSnapType = '';
  });
  const from = row.scrollLeft;
  const start = performance.now();
  const step = (now: number) => {
    if (signal.aborted) return;
    const rest = matchMedia('(prefers-reduced-motion: reduce)').matches
      ? 0
      : Math.max(0, 1 - (now - start) / duration);
    row.scrollLeft = left + (from - left) * rest ** 3;
    if (rest > 0) requestAnimationFrame(step);
    else turn.abort();
  };
  requestAnimationFrame(step);
}

/** Scrolls a row by so many columns. Past either end it continues at the other. */
export function turn(row: HTMLElement, columns: number, duration: number): void {
  const places = new Set([...row.children].map((child) => (child as HTMLElement).offsetLeft));
  const [first = 0, second = first + row.clientWidth] = places;
  const width = second - first;
  const end = row.scrollWidth - row.clientWidth;
  const next = (Math.round(row.scrollLeft / width) + columns) * width;
  const passed = columns > 0 ? row.scrollLeft > end - 2 : row.scrollLeft < 2;
  glide(row, passed ? (columns > 0 ? 0 : end) : Math.min(end, Math.max(0, next)), duration);
}
