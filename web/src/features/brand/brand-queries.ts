import { queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';

export const brandQueries = {
  all: () => ['brand'] as const,
  /** Every brand, or those with products in a category. */
  list: (category?: string) =>
    queryOptions({
      queryKey: [...brandQueries.all(), 'list', category ?? ''],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/brands/', { signal, params: { query: { category_id: category } } })),
      staleTime: 5 * 60_000,
    }),
  detail: (id: string) =>
    queryOptions({
      queryKey: [...brandQueries.all(), 'detail', id],
      queryFn: ({ signal }) => answer(api.GET('/api/brands/{id}/', { signal, params: { path: { id } } })),
    }),
};
