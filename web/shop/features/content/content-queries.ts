import { queryOptions } from '@tanstack/react-query';
import { reading } from '../../api/reading';

const hour = 3_600_000;

export const contentQueries = {
  all: () => ['content'] as const,
  /** The shop rules: the source of every number a page states. */
  rules: () =>
    queryOptions({
      queryKey: [...contentQueries.all(), 'rules'],
      ...reading('/api/rules/'),
      staleTime: 5 * 60_000,
    }),
  /** Name, contacts and documents of the shop. */
  shop: () =>
    queryOptions({
      queryKey: [...contentQueries.all(), 'shop'],
      ...reading('/api/shop/'),
      staleTime: hour,
    }),
  /** A block of text or slides that staff edit. */
  block: (name: string) =>
    queryOptions({
      queryKey: [...contentQueries.all(), 'block', name],
      ...reading('/api/content/find/{name}/', { path: { name } }),
      staleTime: 5 * 60_000,
    }),
};
