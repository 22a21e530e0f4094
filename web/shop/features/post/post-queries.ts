import { queryOptions } from '@tanstack/react-query';
import { reading } from '../../api/reading';

/** Posts on a page of the blog. */
export const postsOnPage = 3;

export const postQueries = {
  all: () => ['post'] as const,
  /** A page of the blog, newest posts first; the first page is 1. */
  list: (page: number) =>
    queryOptions({
      queryKey: [...postQueries.all(), 'list', page],
      ...reading('/api/blog/posts/', { query: { limit: postsOnPage, offset: postsOnPage * (page - 1) } }),
      staleTime: 5 * 60_000,
    }),
  /** By identifier or link. */
  detail: (id: string) =>
    queryOptions({
      queryKey: [...postQueries.all(), 'detail', id],
      ...reading('/api/blog/posts/{id}/', { path: { id } }),
      staleTime: 5 * 60_000,
    }),
};
