import { useCallback, useEffect, useRef, useState } from 'react';
import { packed, unpacked } from './draft-store';
import { type Field, present, type Read, same, type Value, type Wrong } from './fields';
import type { ProductRow } from './queries';

/** A cell that was changed and not sent yet. */
export type Cell = { was: Value; now: Value; wrong?: Wrong };
export type DraftRow = { row: ProductRow; cells: Partial<Record<Field, Cell>> };
/** Changes by the id of their product. */
export type Draft = Readonly<Record<string, DraftRow>>;

export type Edit = { row: ProductRow; field: Field; to: Read };

/** A draft with more edits. What is as it was again is no change. A price without a discount takes the price to pay along. */
export function edited(draft: Draft, edits: Edit[]): Draft {
  const next: Record<string, DraftRow> = { ...draft };
  for (const { row, field, to } of edits) {
    const before = next[row.id];
    const base = before?.row ?? row;
    const cells = { ...before?.cells };
    if (field === 'price' && !to.wrong && undiscounted(base, cells)) set(cells, base, 'discounted_price', to);
    set(cells, base, field, to);
    if (cells.price || cells.discounted_price) compare(cells, base);
    if (Object.keys(cells).length > 0) next[row.id] = { row: base, cells };
    else delete next[row.id];
  }
  return next;
}

const undiscounted = (row: ProductRow, cells: DraftRow['cells']) =>
  (cells.discounted_price?.now ?? row.discounted_price) === (cells.price?.now ?? row.price);

function set(cells: DraftRow['cells'], row: ProductRow, field: Field, { now, wrong }: Read) {
  const was = present(row, field);
  if (!wrong && same(was, now)) delete cells[field];
  else cells[field] = wrong ? { was, now, wrong } : { was, now };
}

/** The price to pay is at most the list price. */
function compare(cells: DraftRow['cells'], row: ProductRow) {
  const price = cells.price?.now ?? row.price;
  const paid = cells.discounted_price ?? { was: row.discounted_price, now: row.discounted_price };
  if (paid.wrong && paid.wrong !== 'discount') return;
  const above = typeof price === 'number' && typeof paid.now === 'number' && paid.now > price;
  if (above) cells.discounted_price = { was: paid.was, now: paid.now, wrong: 'discount' };
  else if (same(paid.was, paid.now)) delete cells.discounted_price;
  else cells.discounted_price = { was: paid.was, now: paid.now };
}

/** A draft without the products of such ids. */
export function without(draft: Draft, ids: Iterable<string>): Draft {
  const next = { ...draft };
  for (const id of ids) delete next[id];
  return next;
}

/** An item of a change, as the server takes it. */
export type Item = { thing: 'product' | 'stock'; id: string; field: Field; was: Value; now: Value };

export function itemsOf(draft: Draft): Item[] {
  return Object.entries(draft).flatMap(([id, { cells }]) =>
    (Object.entries(cells) as [Field, Cell][]).map(([field, { was, now }]) => ({
      thing: field === 'on_hand' ? ('stock' as const) : ('product' as const),
      id,
      field,
      was,
      now,
    })),
  );
}

/** How many products and values are changed, and how many values are wrong. */
export function sizeOf(draft: Draft) {
  let values = 0;
  let wrong = 0;
  for (const { cells } of Object.values(draft)) {
    for (const cell of Object.values(cells)) {
      values++;
      if (cell.wrong) wrong++;
    }
  }
  return { products: Object.keys(draft).length, values, wrong };
}

const place = (account: string) => `dala.products.${account}`;

function kept(account: string): Draft {
  try {
    return unpacked(localStorage.getItem(place(account)) ?? '{}');
  } catch {
    return {};
  }
}

/** How long after the last edit a draft is written down, in milliseconds: ten thousand products take a while. */
const settle = 400;

/** The draft of whoever is signed in. It stays in the browser until it is sent or thrown away. */
export function useDraft(account: string) {
  const [draft, setDraft] = useState<Draft>(() => kept(account));
  const [fits, setFits] = useState(true);
  const unsaved = useRef<Draft>(undefined);
  useEffect(() => {
    const keep = () => {
      if (unsaved.current === undefined) return;
      try {
        localStorage.setItem(place(account), packed(unsaved.current));
        setFits(true);
      } catch {
        // Storage is full or closed to us; the draft then lasts as long as the page.
        setFits(false);
      }
      unsaved.current = undefined;
    };
    unsaved.current = draft;
    const timer = setTimeout(keep, settle);
    addEventListener('pagehide', keep);
    return () => {
      clearTimeout(timer);
      removeEventListener('pagehide', keep);
      keep();
    };
  }, [account, draft]);
  return {
    draft,
    /** Whether it stays when the page is closed. */
    fits,
    edit: useCallback((edits: Edit[]) => setDraft((now) => edited(now, edits)), []),
    drop: useCallback((ids: Iterable<string>) => setDraft((now) => without(now, ids)), []),
    clear: useCallback(() => setDraft({}), []),
  };
}
