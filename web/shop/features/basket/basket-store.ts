import { useSyncExternalStore } from 'react';
import { stored } from '../../api/stored';
import type { ProductCard } from '../../api/types';

/** Where the browser keeps the basket. Fixed: a shopper's basket outlives every release. */
export const basketKey = 'dala.basket';

/** The id of the basket icon in the header, where pictures fly to. */
export const basketIconId = 'basket-icon';

/** A product in the basket as it was last seen, how many, and what was wrong with it at the last pricing. */
export type BasketLine = {
  id: string;
  link: string;
  name: string;
  /** Which of its texts are in Russian on a page in Kazakh. */
  russian?: string[];
  package_size: string;
  article: string;
  price: number;
  discounted_price: number;
  /** Pieces that one order may hold. */
  amount: number;
  picture: ProductCard['picture'];
  main_image: string | null;
  kind: string;
  count: number;
  error?: string;
  /** What has changed without the shopper: the price to pay and the count as they last knew them. */
  was?: { discounted_price?: number; count?: number };
};

type Source = Pick<
  ProductCard,
  | 'id'
  | 'link'
  | 'name'
  | 'russian'
  | 'package_size'
  | 'article'
  | 'price'
  | 'discounted_price'
  | 'amount'
  | 'picture'
  | 'main_image'
  | 'category'
>;

const describe = (product: Source): Omit<BasketLine, 'count'> => ({
  id: product.id,
  link: product.link,
  name: product.name,
  russian: product.russian,
  package_size: product.package_size,
  article: product.article,
  price: product.price,
  discounted_price: product.discounted_price,
  amount: product.amount,
  picture: product.picture,
  main_image: product.main_image,
  kind: product.category?.placeholder ?? '',
});

const empty: readonly BasketLine[] = [];

let lines: readonly BasketLine[] = empty;
let loaded = false;
const kept = stored(basketKey, () => {
  loaded = false;
  load();
});

/** The line with a count that the shopper chose, which answers what was said of the count before. */
const counted = (line: BasketLine, count: number): BasketLine => ({
  ...line,
  count,
  error: undefined,
  was: line.was?.discounted_price === undefined ? undefined : { discounted_price: line.was.discounted_price },
});

/** What was known before, and still differs; undefined when nothing does. */
function changed(line: BasketLine, next: BasketLine): BasketLine['was'] {
  const known = { discounted_price: line.discounted_price, count: line.count, ...line.was };
  const was = {
    ...(known.discounted_price === next.discounted_price ? {} : { discounted_price: known.discounted_price }),
    ...(known.count === next.count ? {} : { count: known.count }),
  };
  return Object.keys(was).length > 0 ? was : undefined;
}

/** Storage may hold anything: what does not look like a line is dropped. */
function isLine(value: unknown): value is BasketLine {
  if (typeof value !== 'object' || value === null) return false;
  const line = value as Record<string, unknown>;
  const texts = ['id', 'link', 'name', 'package_size', 'article', 'kind'];
  const numbers = ['price', 'discounted_price', 'amount', 'count'];
  return (
    texts.every((key) => typeof line[key] === 'string') &&
    numbers.every((key) => Number.isSafeInteger(line[key]) && (line[key] as number) >= 0) &&
    (line.count as number) > 0 &&
    Object.values(line.was ?? {}).every(Number.isSafeInteger)
  );
}

function parse(stored: string | null): readonly BasketLine[] {
  try {
    const value: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(value) ? value.filter(isLine) : empty;
  } catch {
    return empty;
  }
}

function load() {
  if (loaded || typeof localStorage === 'undefined') return;
  loaded = true;
  try {
    lines = parse(localStorage.getItem(basketKey));
  } catch {
    // Storage closed to us: the basket then lives as long as the page.
  }
}

function set(next: readonly BasketLine[]) {
  lines = next;
  try {
    localStorage.setItem(basketKey, JSON.stringify(next));
  } catch {
    // Full or closed storage; the basket of this page still works.
  }
  kept.tell();
}

const change = (id: string, update: (line: BasketLine) => BasketLine) =>
  set(lines.map((line) => (line.id === id ? update(line) : line)));

/** The basket of this browser. Every change is stored and reaches the other tabs. */
export const basket = {
  lines(): readonly BasketLine[] {
    load();
    return lines;
  },
  /** Puts one more piece in; false, and no change, when the stock does not allow it. */
  add(product: Source): boolean {
    load();
    const line = lines.find((candidate) => candidate.id === product.id);
    if ((line?.count ?? 0) + 1 > product.amount) return false;
    if (line) change(product.id, () => ({ ...describe(product), count: line.count + 1 }));
    else set([...lines, { ...describe(product), count: 1 }]);
    return true;
  },
  /** Sees to it that so many pieces are in, or as many as the stock allows; says how many are. */
  fill(product: Source, count: number): number {
    load();
    const present = lines.find((candidate) => candidate.id === product.id)?.count ?? 0;
    const next = Math.max(present, Math.min(count, product.amount));
    const line = { ...describe(product), count: next };
    if (present > 0) change(product.id, () => line);
    else if (next > 0) set([...lines, line]);
    return next;
  },
  /** One more piece of a line that is there; false when the stock does not allow it. */
  plus(id: string): boolean {
    load();
    const line = lines.find((candidate) => candidate.id === id);
    if (!line || line.count + 1 > line.amount) return false;
    change(id, (found) => counted(found, found.count + 1));
    return true;
  },
  /** One piece less; the last one takes the line away. */
  minus(id: string): void {
    load();
    const line = lines.find((candidate) => candidate.id === id);
    if (!line) return;
    if (line.count <= 1) basket.remove(id);
    else change(id, (found) => counted(found, found.count - 1));
  },
  remove(id: string): void {
    load();
    set(lines.filter((line) => line.id !== id));
  },
  clear(): void {
    load();
    set(empty);
  },
  /** What the server says about the product now; the count stays. */
  refresh(product: Source): void {
    load();
    const line = lines.find((candidate) => candidate.id === product.id);
    if (!line) return;
    const next = { ...line, ...describe(product) };
    next.was = changed(line, next);
    if (JSON.stringify(next) !== JSON.stringify(line)) change(product.id, () => next);
  },
  /**
   * Fewer can be ordered than were asked for: takes at least one piece off and keeps the reason on the line. Nothing
   * happens when the shopper has changed the count meanwhile.
   */
  limit(id: string, asked: number, available: number, error: string): void {
    load();
    const line = lines.find((candidate) => candidate.id === id);
    if (line?.count !== asked) return;
    const count = Math.min(asked - 1, available);
    if (count < 1) basket.remove(id);
    else {
      const next = { ...line, count, amount: available, error };
      change(id, () => ({ ...next, was: changed(line, next) }));
    }
  },
  /** The shopper has seen what changed on the line. */
  acknowledge(id: string): void {
    load();
    change(id, (found) => ({ ...found, was: undefined, error: undefined }));
  },
  /** Keeps a reason on the line without changing it. */
  refuse(id: string, error: string): void {
    load();
    if (lines.find((line) => line.id === id)?.error !== error) change(id, (found) => ({ ...found, error }));
  },
};

/** The lines; none on the server and during hydration (see useHydrated). */
export const useBasket = (): readonly BasketLine[] =>
  useSyncExternalStore(kept.subscribe, basket.lines, () => empty);

/** What is read from the lines; what shows it is drawn again only when that has changed. */
const useOfBasket = <T>(read: (lines: readonly BasketLine[]) => T): T =>
  useSyncExternalStore(
    kept.subscribe,
    () => read(basket.lines()),
    () => read(empty),
  );

/** The line of a product, when it is in the basket. */
export const useBasketLine = (id: string) => useOfBasket((lines) => lines.find((line) => line.id === id));

export const useBasketIsEmpty = () => useOfBasket((lines) => lines.length === 0);

/** How many pieces are in the basket. */
export const usePieces = () => useOfBasket(countPieces);

/** Pieces in the basket: the number on its icon. */
export const countPieces = (of: readonly BasketLine[]): number =>
  of.reduce((sum, line) => sum + line.count, 0);
