import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { block, type ProductRow, type ProductSearch, productQueries, rowsBetween } from './queries';

/** The rows of a search between two places, and those just outside of them. What has not come yet is undefined. */
export function useRows(search: ProductSearch, from: number, to: number) {
  const client = useQueryClient();
  const first = Math.floor(from / block);
  const blocks = Array.from(
    { length: Math.max(1, Math.floor(Math.max(0, to - 1) / block) - first + 1) },
    (_, n) => first + n,
  );
  const found = useQueries({ queries: blocks.map((at) => productQueries.block(search, at)) });
  const row = useCallback(
    (at: number): ProductRow | undefined => {
      const known = client.getQueryData(productQueries.block(search, Math.floor(at / block)).queryKey);
      return known?.results[at % block] ?? found[Math.floor(at / block) - first]?.data?.results[at % block];
    },
    [client, search, found, first],
  );
  const all = useCallback((start: number, end: number) => rowsBetween(search, start, end), [search]);
  return {
    count: found.find(({ data }) => data)?.data?.count,
    /** Whether rows of an earlier search stand in place of those that are on their way. */
    old: found.some(({ isPlaceholderData }) => isPlaceholderData),
    error: found.find(({ error }) => error)?.error,
    again: () => Promise.all(found.map(({ refetch }) => refetch())),
    row,
    all,
  };
}
