import { useEffect, useState } from 'react';
import type { ProductRow } from '../products/queries';

export type Mode = 'receive' | 'count';
/** A product that was scanned, and how many pieces of it. */
export type Line = { row: ProductRow; quantity: number };

/** Lines with one more piece of a product, which comes first. */
export function scanned(lines: Line[], row: ProductRow): Line[] {
  const before = lines.find((line) => line.row.id === row.id);
  return [{ row, quantity: (before?.quantity ?? 0) + 1 }, ...lines.filter((line) => line.row.id !== row.id)];
}

/** Lines with another quantity of a product; none takes the line away. */
export const counted = (lines: Line[], id: string, quantity: number | undefined): Line[] =>
  quantity === undefined
    ? lines.filter(({ row }) => row.id !== id)
    : lines.map((line) => (line.row.id === id ? { ...line, quantity } : line));

/** What was counted and is not as the shop says. */
export const differences = (lines: Line[]) => lines.filter(({ row, quantity }) => row.on_hand !== quantity);

type Kept = { lines: Line[]; note: string; key: string };
const empty = (): Kept => ({ lines: [], note: '', key: crypto.randomUUID() });

function kept(place: string): Kept {
  try {
    return { ...empty(), ...(JSON.parse(localStorage.getItem(place) ?? '{}') as Partial<Kept>) };
  } catch {
    return empty();
  }
}

/** A delivery or a count on its way. It stays in the browser until it is sent; its key makes it unrepeatable. */
export function useLines(account: string, mode: Mode) {
  const place = `dala.stock.${mode}.${account}`;
  const [now, setNow] = useState(() => kept(place));
  useEffect(() => {
    try {
      localStorage.setItem(place, JSON.stringify(now));
    } catch {
      // Storage may be closed to us; the lines then last as long as the page.
    }
  }, [place, now]);
  return {
    ...now,
    change: (part: Partial<Kept>) => setNow((before) => ({ ...before, ...part, key: crypto.randomUUID() })),
    scan: (row: ProductRow) =>
      setNow((before) => ({ ...before, lines: scanned(before.lines, row), key: crypto.randomUUID() })),
    clear: () => setNow(empty()),
  };
}
