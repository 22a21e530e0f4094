import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer } from '../../../../kit/api/answer';
import { isRecord, Problem } from '../../../../kit/api/problem';
import { api } from '../../../api/client';
import type { components } from '../../../api/schema';
import type { OrderSheet } from '../../api/queries';

type Schemas = components['schemas'];
export type HandPayment = Schemas['HandPayment'];
export type HandRefund = Schemas['HandRefund'];
export type NewLines = Schemas['NewLines'];
export type NewReturn = Schemas['NewReturn'];
export type NewAddress = Schemas['NewAddress'];
export type Changes = NonNullable<Schemas['Overtaken']['changes']>;

const of = (sheet: OrderSheet) => ({ params: { path: { order: String(sheet.number) } } });

/** The order's version that a sheet shows; a change that is made of it is refused once somebody else was faster. */
export const versionOf = (sheet: OrderSheet): number =>
  Math.max(0, ...sheet.steps.filter(({ stream }) => stream === sheet.stream).map(({ version }) => version));

/** Who changed what meanwhile; undefined when a failure says something else. */
export function changesOf(failure: unknown): Changes | undefined {
  if (!(failure instanceof Problem) || failure.status !== 409 || !isRecord(failure.body)) return undefined;
  return Array.isArray(failure.body.changes) ? (failure.body.changes as Changes) : undefined;
}

/** What may be done to an order after it was placed. Each rejects with the shop's Problem. */
export const payByHand = (sheet: OrderSheet, body: HandPayment) =>
  answer(api.POST('/api/staff/orders/{order}/payments/', { ...of(sheet), body }));

export const confirmByHand = (sheet: OrderSheet, reference: string) =>
  answer(api.POST('/api/staff/orders/{order}/payments/confirmation/', { ...of(sheet), body: { reference } }));

export const withdrawByHand = (sheet: OrderSheet, reference: string) =>
  answer(api.POST('/api/staff/orders/{order}/payments/withdrawal/', { ...of(sheet), body: { reference } }));

export const refundByHand = (sheet: OrderSheet, body: HandRefund) =>
  answer(api.POST('/api/staff/orders/{order}/payments/refund/', { ...of(sheet), body }));

export const confirmRefund = (sheet: OrderSheet, reference: string) =>
  answer(
    api.POST('/api/staff/orders/{order}/payments/refund/confirmation/', {
      ...of(sheet),
      body: { reference },
    }),
  );

export const withdrawRefund = (sheet: OrderSheet, reference: string) =>
  answer(
    api.POST('/api/staff/orders/{order}/payments/refund/withdrawal/', { ...of(sheet), body: { reference } }),
  );

export const changeLines = (sheet: OrderSheet, body: NewLines) =>
  answer(api.PUT('/api/staff/orders/{order}/lines/', { ...of(sheet), body }));

export const changeAddress = (sheet: OrderSheet, body: NewAddress) =>
  answer(api.PUT('/api/staff/orders/{order}/address/', { ...of(sheet), body }));

export const takeBack = (sheet: OrderSheet, body: NewReturn) =>
  answer(api.POST('/api/staff/orders/{order}/returns/', { ...of(sheet), body }));

export const declineReturn = (sheet: OrderSheet, request_id: string, reason: string) =>
  answer(
    api.POST('/api/staff/orders/{order}/returns/decline/', { ...of(sheet), body: { request_id, reason } }),
  );

/** What other lines would cost. Nothing is written. */
export const preview = (sheet: OrderSheet, lines: NewLines['lines'] | undefined) =>
  queryOptions({
    queryKey: ['office', 'edit', 'price', sheet.number, lines],
    queryFn: ({ signal }) =>
      answer(
        api.POST('/api/staff/orders/{order}/lines/preview/', {
          ...of(sheet),
          body: { lines: lines ?? [] },
          signal,
        }),
      ),
    enabled: lines !== undefined && lines.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  });
