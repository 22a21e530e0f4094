import { queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import { pageSize, productQueries } from '../product/product-queries';

export const searchQueries = {
  /** What a search finds; need: a need that it answers too. */
  found: (text: string, need: string) =>
    queryOptions({
      queryKey: [...productQueries.all(), 'search', text, need],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/products/', {
            signal,
            params: { query: { search: text, limit: pageSize, brief: true, need: need || undefined } },
          }),
        ),
    }),
  /** What an unfinished search may become. */
  suggestions: (text: string) =>
    queryOptions({
      queryKey: [...productQueries.all(), 'suggestions', text],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/products/suggest/', { signal, params: { query: { q: text } } })),
    }),
};
