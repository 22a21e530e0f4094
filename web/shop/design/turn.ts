/** What ends the turn that a row is in. */
const turns = new WeakMap<HTMLElement, AbortController>();

/** Scrolls a row sideways in so many milliseconds, until a hand stops it; at once for those who asked for less motion. */
function glide(row: HTMLElement, left: number, duration: number): void {
  turns.get(row)?.abort();
  const turn = new AbortController();
  const { signal } = turn;
  turns.set(row, turn);
  for (const hand of ['pointerdown', 'wheel']) {
    row.addEventListener(hand, () => turn.abort(), { signal, passive: true });
  }
  // Snapping would fight with every step on the way.
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

/** Turns a row by so many of its columns. Past either end it starts at the other. */
export function turn(row: HTMLElement, columns: number, duration: number): void {
  const places = new Set([...row.children].map((child) => (child as HTMLElement).offsetLeft));
  const [first = 0, second = first + row.clientWidth] = places;
  const width = second - first;
  const end = row.scrollWidth - row.clientWidth;
  const next = (Math.round(row.scrollLeft / width) + columns) * width;
  const passed = columns > 0 ? row.scrollLeft > end - 2 : row.scrollLeft < 2;
  glide(row, passed ? (columns > 0 ? 0 : end) : Math.min(end, Math.max(0, next)), duration);
}
