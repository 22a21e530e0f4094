import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { currentPosition, isAbove } from '../api/position';

/** What the server gives with a page, beside its HTML. */
export type PageData = {
  /** The event position that the answers have come to at least. */
  position: string;
  /** There is nothing under this address. */
  missing?: boolean;
  /** The answers that the first paint shows, by the keys of their queries. */
  queries: [QueryKey, unknown][];
};

/** What came with this page; undefined in development, where pages come bare. */
export function readPageData(): PageData | undefined {
  const text = document.getElementById('given')?.textContent;
  return text ? (JSON.parse(text) as PageData) : undefined;
}

/**
 * Whether the answers are those of now. The server may send a page it is just renewing, and says so; the browser may
 * show a copy of its own when one goes back; and what the shopper has done since may be missing from both.
 */
export function isFresh({ position }: PageData): boolean {
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const old =
    visit?.type === 'back_forward' || visit?.serverTiming?.some(({ name }) => name === 'stale') === true;
  const kept = document.querySelector('meta[name="kept"]');
  return !old && !kept && !isAbove(currentPosition(), position);
}

/** Puts the answers where the queries look for them; those that are not fresh are shown and asked again. */
export function seedCache(client: QueryClient, { queries }: PageData, fresh: boolean): void {
  for (const [key, data] of queries) client.setQueryData(key, data, fresh ? {} : { updatedAt: 1 });
}
