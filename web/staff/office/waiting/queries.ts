import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { page } from '../desk/pages';

type Schemas = components['schemas'];
export type AwaitedProduct = Schemas['AwaitedProduct'];
export type WaitingCustomer = Schemas['WaitingCustomer'];

export const waitingQueries = {
  list: (offset: number) =>
    queryOptions({
      queryKey: ['office', 'waiting', offset],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/staff/waiting/', { params: { query: { limit: page, offset } }, signal })),
      placeholderData: keepPreviousData,
      refetchInterval: 30_000,
    }),
  // It does not ask again by itself: each look at persons is recorded.
  who: (product: string) =>
    queryOptions({
      queryKey: ['office', 'waiting', 'for', product],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/staff/waiting/{product}/', {
            params: { path: { product }, query: { limit: 200 } },
            signal,
          }),
        ),
      staleTime: 60_000,
    }),
};
