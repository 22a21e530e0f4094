import { queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';

const hour = 3_600_000;

export const contentQueries = {
  all: () => ['content'] as const,
  /** The shop rules: the source of every number a page states. */
  rules: () =>
    queryOptions({
      queryKey: [...contentQueries.all(), 'rules'],
      queryFn: ({ signal }) => answer(api.GET('/api/rules/', { signal })),
      staleTime: 5 * 60_000,
    }),
  /** Name, contacts and documents of the shop. */
  shop: () =>
    queryOptions({
      queryKey: [...contentQueries.all(), 'shop'],
      queryFn: ({ signal }) => answer(api.GET('/api/shop/', { signal })),
      staleTime: hour,
    }),
  /** A block of text or slides that staff edit. */
  block: (name: string) =>
    queryOptions({
      queryKey: [...contentQueries.all(), 'block', name],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/content/find/{name}/', { signal, params: { path: { name } } })),
      staleTime: 5 * 60_000,
    }),
};
