import { queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';

export const cityQueries = {
  all: () => ['city'] as const,
  /** The cities of Kazakhstan that begin like the text; all of them, large first, without one. */
  list: (search: string) =>
    queryOptions({
      queryKey: [...cityQueries.all(), search],
      queryFn: async ({ signal }) => {
        const page = await answer(
          api.GET('/api/geonames/', {
            signal,
            params: { query: { search: search || undefined } },
          }),
        );
        return page.results;
      },
      staleTime: 3_600_000,
    }),
};
