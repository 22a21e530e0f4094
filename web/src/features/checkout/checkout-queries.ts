import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { isTransient } from '../../api/problem';

export const checkoutQueries = {
  all: () => ['checkout'] as const,
  /** The cities of Kazakhstan that begin like the text; all of them, large first, without one. */
  cities: (search: string) =>
    queryOptions({
      queryKey: [...checkoutQueries.all(), 'cities', search],
      queryFn: async ({ signal }) => {
        const page = await answer(
          api.GET('/api/geonames/', {
            signal,
            params: { query: { search: search || undefined, limit: 100 } },
          }),
        );
        return page.results;
      },
      staleTime: 3_600_000,
    }),
  /** Any success means that the code may be used. */
  promoCode: (code: string) =>
    queryOptions({
      queryKey: [...checkoutQueries.all(), 'promocode', code.toUpperCase()],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/promocodes/{code}/', { signal, params: { path: { code } } })),
      retry: (failures, error) => failures < 1 && isTransient(error),
    }),
};
