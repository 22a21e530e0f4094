import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { asked, unlessPast } from '../desk/as-of';
import { page } from '../desk/pages';

type Schemas = components['schemas'];
export type AwaitedProduct = Schemas['AwaitedProduct'];
export type WaitingCustomer = Schemas['WaitingCustomer'];

export const waitingQueries = {
  list: (offset: number, at = '') =>
    queryOptions({
      queryKey: ['office', 'waiting', offset, ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/staff/waiting/', {
            params: { query: { limit: page, offset, ...asked(at) } },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
      ...unlessPast(at, { refetchInterval: 30_000 }),
    }),
  // It does not ask again by itself: each look at persons is recorded.
  who: (product: string, at = '') =>
    queryOptions({
      queryKey: ['persons', 'waiting', product, ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/staff/waiting/{product}/', {
            params: { path: { product }, query: { limit: 200, ...asked(at) } },
            signal,
          }),
        ),
      staleTime: 60_000,
    }),
};
