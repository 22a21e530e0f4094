import { queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';

/** Posts on a page of the blog. */
export const postsOnPage = 3;

export const postQueries = {
  all: () => ['post'] as const,
  /** A page of the blog, newest posts first; the first page is 1. */
  list: (page: number) =>
    queryOptions({
      queryKey: [...postQueries.all(), 'list', page],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/blog/posts/', {
            signal,
            params: { query: { limit: postsOnPage, offset: postsOnPage * (page - 1) } },
          }),
        ),
      staleTime: 5 * 60_000,
    }),
  /** By identifier or link. */
  detail: (id: string) =>
    queryOptions({
      queryKey: [...postQueries.all(), 'detail', id],
      queryFn: ({ signal }) => answer(api.GET('/api/blog/posts/{id}/', { signal, params: { path: { id } } })),
      staleTime: 5 * 60_000,
    }),
};
