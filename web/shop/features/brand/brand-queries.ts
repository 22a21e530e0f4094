import { queryOptions } from '@tanstack/react-query';
import { reading } from '../../api/reading';

export const brandQueries = {
  all: () => ['brand'] as const,
  /** Every brand, or those with products in a category. */
  list: (category?: string) =>
    queryOptions({
      queryKey: [...brandQueries.all(), 'list', category ?? ''],
      ...reading('/api/brands/', { query: { category_id: category } }),
      staleTime: 5 * 60_000,
    }),
  detail: (id: string) =>
    queryOptions({
      queryKey: [...brandQueries.all(), 'detail', id],
      ...reading('/api/brands/{id}/', { path: { id }, query: { brief: true } }),
    }),
};
