import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { currentPosition, isAbove } from '../api/position';

/** The data that the server sends with a page, beside its HTML. */
export type PageData = {
  /** The answers are at least as new as this event position. */
  position: string;
  /** The page does not exist. */
  missing?: boolean;
  /** The answers that the first paint shows, by the keys of their queries. */
  queries: [QueryKey, unknown][];
};

/** The data of this page; undefined in development, where no page is rendered on the server. */
export function readPageData(): PageData | undefined {
  const text = document.getElementById('given')?.textContent;
  return text ? (JSON.parse(text) as PageData) : undefined;
}

/**
 * Whether the answers are up to date. They are not when the server sent a stale page (it says so), when the browser
 * shows its own copy after going back, or when the shopper has changed something since.
 */
export function isFresh({ position }: PageData): boolean {
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const old =
    visit?.type === 'back_forward' || visit?.serverTiming?.some(({ name }) => name === 'stale') === true;
  const kept = document.querySelector('meta[name="kept"]');
  return !old && !kept && !isAbove(currentPosition(), position);
}

/** Puts the answers into the query cache. Stale ones are shown, and fetched again. */
export function seedCache(client: QueryClient, { queries }: PageData, fresh: boolean): void {
  for (const [key, data] of queries) client.setQueryData(key, data, fresh ? {} : { updatedAt: 1 });
}
