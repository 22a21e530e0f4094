import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api, given } from '../../api/client';
import type { components, paths } from '../../api/schema';
import { asked } from '../desk/as-of';
import { changesWith } from '../live';

type Schemas = components['schemas'];
export type ProductRow = Schemas['ProductRow'];
export type ProductGroup = Schemas['ProductGroup'];
export type ProductGroups = Schemas['ProductGroups'];

/** What narrows and sorts the grid. */
export type ProductSearch = Omit<
  NonNullable<paths['/api/staff/products/']['get']['parameters']['query']>,
  'limit' | 'offset'
>;

/** How many rows the grid asks for at a time, and how many an action on all that are found does. */
export const block = 100;
const most = 1000;

const page = (search: ProductSearch, offset: number, limit: number, signal?: AbortSignal) =>
  answer(
    api.GET('/api/staff/products/', {
      params: { query: { ...given(search), limit, offset } },
      ...(signal ? { signal } : {}),
    }),
  );

export const productQueries = {
  block: (search: ProductSearch, at: number) =>
    queryOptions({
      queryKey: ['office', 'products', search, at],
      queryFn: ({ signal }) => page(search, at * block, block, signal),
      placeholderData: keepPreviousData,
      ...changesWith('stock'),
    }),
  groups: (at = '') =>
    queryOptions({
      queryKey: ['office', 'product-groups', at],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/staff/products/groups/', { params: { query: asked(at) }, signal })),
      staleTime: 60_000,
    }),
};

/** Rows from one place to another, as they are now. */
export async function rowsBetween(search: ProductSearch, from: number, to: number): Promise<ProductRow[]> {
  const rows: ProductRow[] = [];
  for (let more = true; more && from + rows.length < to; ) {
    const limit = Math.min(most, to - from - rows.length);
    const { results } = await page(search, from + rows.length, limit);
    rows.push(...results);
    more = results.length === limit;
  }
  return rows;
}
