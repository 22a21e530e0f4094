import * as z from 'zod/mini';
import type { OrderRequest } from '../../api/types';
import { barePhone, isWholePhone } from '../../design/phone';
import { checkoutTexts } from '../../texts/checkout';

const needed = () => z.string().check(z.trim(), z.minLength(1, checkoutTexts.required));
const optional = () => z.string().check(z.trim());

const person = {
  customer_first_name: needed(),
  customer_last_name: needed(),
  customer_email: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, { error: checkoutTexts.required, abort: true }),
      z.regex(/^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/, checkoutTexts.emailWrong),
    ),
  customer_phone: z
    .string()
    .check(
      z.minLength(1, { error: checkoutTexts.required, abort: true }),
      z.refine(isWholePhone, checkoutTexts.phoneIncomplete),
    ),
  payment_method: z.enum(['CARD', 'CASH']),
  use_brand_box: z.boolean(),
  promocode: optional(),
};

/** What is checked before anything is sent; the address only where something is delivered. */
export const checkoutSchema = z.discriminatedUnion('delivery_type', [
  z.object({
    delivery_type: z.literal('DELIVERY'),
    customer_city: needed(),
    customer_street: needed(),
    customer_house: needed(),
    customer_entrance: optional(),
    customer_floor: optional(),
    customer_apartment: optional(),
    address_comment: optional(),
    ...person,
  }),
  z.object({ delivery_type: z.literal('PICKUP'), ...person }),
]);

/** The form as the shopper fills it. */
export type CheckoutForm = {
  delivery_type: 'DELIVERY' | 'PICKUP';
  customer_city: string;
  customer_street: string;
  customer_house: string;
  customer_entrance: string;
  customer_floor: string;
  customer_apartment: string;
  address_comment: string;
  customer_first_name: string;
  customer_last_name: string;
  customer_email: string;
  customer_phone: string;
  payment_method: 'CARD' | 'CASH';
  use_brand_box: boolean;
  promocode: string;
};

export type CheckoutValues = z.output<typeof checkoutSchema>;

export const emptyForm: CheckoutForm = {
  delivery_type: 'DELIVERY',
  customer_city: '',
  customer_street: '',
  customer_house: '',
  customer_entrance: '',
  customer_floor: '',
  customer_apartment: '',
  address_comment: '',
  customer_first_name: '',
  customer_last_name: '',
  customer_email: '',
  customer_phone: '',
  payment_method: 'CARD',
  use_brand_box: false,
  promocode: '',
};

/** The order as the server wants it. */
export function asOrder(
  values: CheckoutValues,
  rest: Pick<OrderRequest, 'products' | 'expected_total' | 'promocode'> & { pickupCity?: string },
): OrderRequest {
  const { promocode: _typed, ...known } = values;
  const { pickupCity, promocode, ...order } = rest;
  return {
    ...known,
    ...(values.delivery_type === 'PICKUP' && pickupCity ? { customer_city: pickupCity } : {}),
    customer_phone: barePhone(values.customer_phone),
    ...(promocode ? { promocode } : {}),
    ...order,
  };
}
