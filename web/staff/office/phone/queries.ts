import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api, shopApi } from '../../api/client';
import type { components } from '../../api/schema';
import type { Draft } from './draft';

type Schemas = components['schemas'];
export type PhonePrice = Schemas['PhonePrice'];
export type Receipt = Schemas['PhoneReceipt'];

type Pricing = Schemas['PhonePricing'];

/** What the price depends on. */
const pricing = (draft: Draft): Pricing => ({
  products: draft.lines.map(({ id, amount }) => ({ product: id, amount })),
  delivery_type: draft.delivery,
  payment_method: draft.payment,
  promocode: draft.promocode.trim(),
  manual_percent: Number(draft.percent) || 0,
  manual_reason: (Number(draft.percent) > 0 ? draft.reason : '') as Pricing['manual_reason'],
});

export const phoneQueries = {
  /** The ways to pay that the shop's provider really has, and cash. */
  methods: () =>
    queryOptions({
      queryKey: ['office', 'phone', 'methods'],
      queryFn: async ({ signal }) => (await answer(shopApi.GET('/api/shop/', { signal }))).payment_methods,
      staleTime: 60_000,
    }),
  price: (draft: Draft) => {
    const body = { ...pricing(draft), city: draft.delivery === 'PICKUP' ? '' : draft.city.trim() };
    return queryOptions({
      queryKey: ['office', 'phone', 'price', body],
      queryFn: ({ signal }) => answer(api.POST('/api/staff/phone-orders/price/', { body, signal })),
      enabled: draft.lines.length > 0,
      placeholderData: keepPreviousData,
      retry: false,
    });
  },
  /** Earlier orders of a phone or an e-mail. */
  callers: (query: string) =>
    queryOptions({
      queryKey: ['office', 'phone', 'callers', query],
      queryFn: ({ signal }) =>
        answer(api.POST('/api/staff/orders/search/', { body: { query, limit: 20 }, signal })),
      enabled: query !== '',
    }),
};

/** Places the order; rejects with the shop's Problem. */
export const placeOrder = (draft: Draft, expected: number | undefined): Promise<Receipt> =>
  answer(
    api.POST('/api/staff/phone-orders/', {
      headers: { 'Idempotency-Key': draft.key },
      body: {
        ...pricing(draft),
        delivery_type: draft.delivery,
        payment_method: draft.payment,
        customer_first_name: draft.first,
        customer_last_name: draft.last,
        customer_email: draft.email,
        customer_phone: draft.phone,
        customer_city: draft.city,
        customer_street: draft.street,
        customer_house: draft.house,
        customer_apartment: draft.apartment,
        address_comment: draft.comment,
        consent: draft.consent,
        ...(expected === undefined ? {} : { expected_total: expected }),
      },
    }),
  );
