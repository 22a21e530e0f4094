import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { asked, unlessPast } from '../desk/as-of';
import { changesWith } from '../live';

type Schemas = components['schemas'];
export type OrderSearch = Schemas['OrderSearch'];
export type OrderRow = Schemas['OrderRow'];
export type OrderStatus = Schemas['OrderStatus'];
export type OrderSheet = Schemas['OrderSheet'];
export type BulkAction = Schemas['OrderActions']['action'];
export type Changed = Schemas['CancellationResults']['results'][number];

export const queries = {
  today: (at = '') =>
    queryOptions({
      queryKey: ['office', 'today', ...(at ? [at] : [])],
      queryFn: ({ signal }) => answer(api.GET('/api/staff/today/', { params: { query: asked(at) }, signal })),
      ...unlessPast(at, changesWith('orders', 'payments', 'reviews', 'stock', 'letters', 'parked')),
    }),
  orders: (search: OrderSearch, at = '') =>
    queryOptions({
      queryKey: ['office', 'orders', search, ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(api.POST('/api/staff/orders/search/', { params: { query: asked(at) }, body: search, signal })),
      placeholderData: keepPreviousData,
      ...changesWith('orders', 'payments'),
    }),
  order: (order: string) =>
    queryOptions({
      queryKey: ['office', 'order', order],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/staff/orders/{order}/', { params: { path: { order } }, signal })),
      ...changesWith('orders', 'payments', 'stock'),
    }),
};

/** A letter that an event of the order caused. */
export const letterOf = (order: number, version: number) =>
  queryOptions({
    queryKey: ['office', 'letter', order, version],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/staff/orders/{order}/letters/{version}/', {
          params: { path: { order: String(order), version } },
          signal,
        }),
      ),
  });

/** What an order's page or list may do. Each rejects with the shop's Problem. */
export const changeOrders = (action: BulkAction, orders: string[], reason = ''): Promise<Changed[]> =>
  answer(api.POST('/api/staff/orders/actions/', { body: { action, orders, reason } })).then(
    ({ results }) => results,
  );

const of = (order: string) => ({ params: { path: { order } } });

export const refund = (order: string, amount: number) =>
  answer(
    api.POST('/api/staff/orders/{order}/refund/', {
      ...of(order),
      body: { amount, refund_id: crypto.randomUUID() },
    }),
  );

export const note = (order: string, text: string) =>
  done(api.POST('/api/staff/orders/{order}/notes/', { ...of(order), body: { text } }));

export const tag = (order: string, tags: string[]) =>
  done(api.PUT('/api/staff/orders/{order}/tags/', { ...of(order), body: { tags } }));

export const assign = (order: string, staff_id: string | null) =>
  done(api.PUT('/api/staff/orders/{order}/assignee/', { ...of(order), body: { staff_id } }));
