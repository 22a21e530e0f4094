import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { api, fileBody, given } from '../../api/client';
import type { components } from '../../api/schema';
import { unlessPast } from '../desk/as-of';
import { changesWith } from '../live';

type Schemas = components['schemas'];
export type Parcel = Schemas['Parcel'];
export type CourierRound = Schemas['CourierRound'];
export type CashDay = Schemas['CashDay'];
export type DeliveryDay = Schemas['DeliveryDay'];

export const parcelQueries = {
  packing: (day: string, at = '') =>
    queryOptions({
      queryKey: ['office', 'packing', day, ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/staff/packing/', { params: { query: given({ day, at }) }, signal })),
      ...unlessPast(at, changesWith('orders')),
    }),
  deliveries: (day: string, at = '') =>
    queryOptions({
      queryKey: ['office', 'deliveries', day, ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/staff/deliveries/', { params: { query: given({ day, at }) }, signal })),
      ...unlessPast(at, changesWith('orders')),
    }),
  cash: (from: string, to: string, courier: string, open: boolean, at = '') =>
    queryOptions({
      queryKey: ['office', 'cash', from, to, courier, open, ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/staff/rounds/', {
            params: {
              query: { ...given({ from, to, courier, at }), ...(open ? { state: 'open' as const } : {}) },
            },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
      ...unlessPast(at, changesWith('orders')),
    }),
  stops: () =>
    queryOptions({
      queryKey: ['office', 'stops'],
      queryFn: ({ signal }) => answer(api.GET('/api/staff/stops/', { signal })),
      refetchInterval: 30_000,
    }),
};

const of = (number: number) => ({ params: { path: { order: String(number) } } });

export const pack = (number: number, body: Schemas['Packing']) =>
  done(api.POST('/api/staff/orders/{order}/packing/', { ...of(number), body }));
export const handOver = (number: number, body: Schemas['HandOver']) =>
  done(api.POST('/api/staff/orders/{order}/hand-over/', { ...of(number), body }));
export const assignCourier = (number: number, courier: string, day: string) =>
  done(api.PUT('/api/staff/orders/{order}/courier/', { ...of(number), body: { courier, day } }));
export const arrive = (number: number, method: '' | 'CASH' | 'KASPI_QR') =>
  done(api.POST('/api/staff/stops/{order}/delivery/', { ...of(number), body: { method } }));
export const failStop = (number: number, body: Schemas['DeliveryFailure']) =>
  done(api.POST('/api/staff/stops/{order}/delivery-failure/', { ...of(number), body }));
export const photograph = (number: number, file: Blob) =>
  done(api.POST('/api/staff/stops/{order}/photos/', { ...of(number), ...fileBody(file) }));
export const shelve = (product: string, shelf: string) =>
  done(api.PUT('/api/staff/products/{product}/shelf/', { params: { path: { product } }, body: { shelf } }));
export const sortStops = (courier: string, day: string, orders: string[]) =>
  done(
    api.PUT('/api/staff/rounds/{courier}/{day}/stops/', {
      params: { path: { courier, day } },
      body: { orders },
    }),
  );
export const settle = (courier: string, day: string, handed_in: number, note: string) =>
  done(
    api.POST('/api/staff/rounds/{courier}/{day}/cash/', {
      params: { path: { courier, day } },
      body: { handed_in, note },
    }),
  );
export const closeShort = (courier: string, day: string, reason: string) =>
  done(
    api.POST('/api/staff/rounds/{courier}/{day}/closure/', {
      params: { path: { courier, day } },
      body: { reason },
    }),
  );
export const ship = (csv: string) => answer(api.POST('/api/staff/shipments/', { body: { csv } }));

export const nobody = '00000000-0000-0000-0000-000000000000';

/** Today in Almaty, YYYY-MM-DD. */
export const today = (): string => new Date(Date.now() + 5 * 3_600_000).toISOString().slice(0, 10);

/** The day that is asked for: the address's, else today; of the past the shop says which day it was. */
export const dayAsked = (day: string | null, at: string): string => day || (at ? '' : today());

/** Where the papers of orders are. */
export const papers = (
  kind: 'slips' | 'invoices' | 'labels',
  size: 'a4' | '80mm',
  numbers: number[],
): string => `/api/staff/packing/documents/?kind=${kind}&size=${size}&orders=${numbers.join(',')}`;
