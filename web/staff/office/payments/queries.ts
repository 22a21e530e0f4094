import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { asked, unlessPast } from '../desk/as-of';
import { page } from '../desk/pages';

type Schemas = components['schemas'];
export type PaymentState = Schemas['PaymentState'];
export type PaymentRow = Schemas['PaymentRow'];
export type RefundRow = Schemas['RefundRow'];
export type Reconciled = Schemas['Reconciled'];
export type MoneyDifference = Schemas['MoneyDifference'];
export type BadRow = Reconciled['bad_rows'][number];

/** How often a list that nobody touches asks again, in milliseconds. */
const again = 15_000;

export const paymentQueries = {
  list: (state: PaymentState, offset: number, at = '') =>
    queryOptions({
      queryKey: ['office', 'payments', state, offset, ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/staff/payments/', {
            params: { query: { state, limit: page, offset, ...asked(at) } },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
      ...unlessPast(at, { refetchInterval: again }),
    }),
  refunds: (stuck: boolean, at = '') =>
    queryOptions({
      queryKey: ['office', 'refunds', stuck, ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/staff/payments/refunds/', {
            params: { query: { stuck, limit: 200, ...asked(at) } },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
      ...unlessPast(at, { refetchInterval: again }),
    }),
};

const of = (payment: string) => ({ params: { path: { payment } } });

/** What a page may do about payments. Each rejects with the shop's Problem. */
export const askForPayment = (payment: string) =>
  answer(api.POST('/api/staff/payments/{payment}/question/', { ...of(payment), body: {} }));

export const markPayment = (payment: string, reason: string) =>
  done(api.POST('/api/staff/payments/{payment}/mark/', { ...of(payment), body: { reason } }));

export const retryRefund = (refund: string) =>
  done(api.POST('/api/staff/payments/refunds/attempts/', { body: { refund } }));

export const settleRefund = (refund: string, reference: string, reason: string) =>
  answer(api.POST('/api/staff/payments/refunds/settlements/', { body: { refund, reference, reason } }));

export const reconcile = (day: string, file: string) =>
  answer(api.POST('/api/staff/payments/reconciliation/', { body: { day, file } }));
