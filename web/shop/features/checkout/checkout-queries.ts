import { queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { isTransient } from '../../../kit/api/problem';
import { api } from '../../api/client';

export const checkoutQueries = {
  all: () => ['checkout'] as const,
  /** Any success means that the code may be used. */
  promoCode: (code: string) =>
    queryOptions({
      queryKey: [...checkoutQueries.all(), 'promocode', code.toUpperCase()],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/promocodes/{code}/', { signal, params: { path: { code } } })),
      retry: (failures, error) => failures < 1 && isTransient(error),
    }),
};
