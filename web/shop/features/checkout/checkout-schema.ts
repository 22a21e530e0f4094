import * as z from 'zod/mini';
import type { OrderRequest, Profile } from '../../api/types';
import { barePhone, isWholePhone, maskPhone } from '../../design/phone';
import { checkoutTexts } from '../../texts/checkout';

const required = () => checkoutTexts.required;
const needed = () => z.string().check(z.trim(), z.minLength(1, { error: required, abort: true }));
const optional = () => z.string().check(z.trim());

export const paymentMethods = ['CARD', 'KASPI_BILL', 'CASH'] as const;

export type PaymentMethod = (typeof paymentMethods)[number];

/** No bonuses, as many as may be spent, or so many. */
export const bonusChoices = ['none', 'all', 'some'] as const;

const person = {
  customer_first_name: needed(),
  customer_last_name: needed(),
  customer_email: needed().check(
    z.regex(/^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/, { error: () => checkoutTexts.emailWrong }),
  ),
  customer_phone: needed().check(z.refine(isWholePhone, { error: () => checkoutTexts.phoneIncomplete })),
  payment_method: z.enum(paymentMethods),
  use_brand_box: z.boolean(),
  promocode: optional(),
  bonus: z.enum(bonusChoices),
  bonus_amount: z.string().check(z.trim(), z.regex(/^\d*$/, { error: () => checkoutTexts.bonusWhole })),
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
  payment_method: PaymentMethod;
  use_brand_box: boolean;
  promocode: string;
  bonus: (typeof bonusChoices)[number];
  /** Whole tenge as typed; counts only with bonus 'some'. */
  bonus_amount: string;
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
  bonus: 'none',
  bonus_amount: '',
};

/** The order as the server wants it. */
export function asOrder(
  values: CheckoutValues,
  rest: Pick<OrderRequest, 'products' | 'expected_total' | 'promocode' | 'spend_bonus'> & {
    pickupCity?: string;
  },
): OrderRequest {
  const { promocode: _typed, bonus: _choice, bonus_amount: _amount, ...known } = values;
  const { pickupCity, promocode, spend_bonus, ...order } = rest;
  return {
    ...known,
    ...(values.delivery_type === 'PICKUP' && pickupCity ? { customer_city: pickupCity } : {}),
    customer_phone: barePhone(values.customer_phone),
    ...(promocode ? { promocode } : {}),
    ...(spend_bonus ? { spend_bonus } : {}),
    ...order,
  };
}

/** What a customer's profile fills in. */
export const fromProfile = ({ first_name, last_name, email, info }: Profile): Partial<CheckoutForm> => ({
  customer_city: info.city,
  customer_street: info.street,
  customer_house: info.house,
  customer_entrance: info.entrance,
  customer_floor: info.floor,
  customer_apartment: info.apartment,
  customer_first_name: first_name,
  customer_last_name: last_name,
  customer_email: email,
  customer_phone: maskPhone(info.phone),
});
