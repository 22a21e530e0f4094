import type { ComponentProps } from 'react';
import { Controller, type FieldPath, type UseFormReturn } from 'react-hook-form';
import { Checkbox } from '../../../kit/design/checkbox';
import { Choice, Choices, Field, Fieldset, FormError } from '../../../kit/design/field';
import type { Shop } from '../../api/types';
import { spoken } from '../../design/format';
import { PhoneInput } from '../../design/phone-input';
import { checkoutTexts } from '../../texts/checkout';
import { CityCombobox } from '../city/city-combobox';
import s from './checkout-form.module.css';
import type { CheckoutValues, CheckoutForm as Fields, PaymentMethod } from './checkout-schema';

const t = checkoutTexts;

/** The form as its parts fill it in. */
export type CheckoutFormApi = UseFormReturn<Fields, unknown, CheckoutValues>;

/** A line of text. */
function Line({
  form,
  name,
  label,
  required,
  ...rest
}: { form: CheckoutFormApi; name: FieldPath<Fields>; label: string } & Omit<
  ComponentProps<'input'>,
  'form' | 'name'
>) {
  return (
    <Field label={label} required={required} error={form.formState.errors[name]}>
      {(tied) => <input {...tied} {...rest} maxLength={200} {...form.register(name)} />}
    </Field>
  );
}

/** Where the order goes; an address only where something is delivered. */
export function DeliveryFields({
  form,
  shop,
  pickup,
}: {
  form: CheckoutFormApi;
  shop?: Shop;
  pickup: boolean;
}) {
  const { register, control, formState } = form;
  return (
    <Fieldset legend={t.delivery}>
      <Choices>
        <Choice label={t.byCourier} value="DELIVERY" {...register('delivery_type')} />
        <Choice
          label={t.pickup(shop ? spoken(shop.pickup_address, shop.pickup_address_kk).children : '')}
          value="PICKUP"
          {...register('delivery_type')}
        />
      </Choices>
      {pickup ? null : (
        <>
          <Controller
            name="customer_city"
            control={control}
            render={({ field, fieldState }) => (
              <CityCombobox
                value={field.value}
                onChoose={field.onChange}
                onBlur={field.onBlur}
                ref={field.ref}
                error={fieldState.error}
              />
            )}
          />
          <Line form={form} name="customer_street" label={t.street} required autoComplete="address-line1" />
          <div className={s.two}>
            <Line form={form} name="customer_house" label={t.house} required autoComplete="address-line2" />
            <Line form={form} name="customer_apartment" label={t.apartment} autoComplete="address-line3" />
          </div>
          <div className={s.two}>
            <Line form={form} name="customer_entrance" label={t.entrance} autoComplete="off" />
            <Line form={form} name="customer_floor" label={t.floor} autoComplete="off" inputMode="numeric" />
          </div>
          <Field label={t.comment} error={formState.errors.address_comment}>
            {(tied) => <textarea {...tied} rows={2} maxLength={1000} {...register('address_comment')} />}
          </Field>
        </>
      )}
      <Checkbox label={t.brandBox} {...register('use_brand_box')} />
    </Fieldset>
  );
}

/** Who the order is for. */
export function PersonFields({ form }: { form: CheckoutFormApi }) {
  return (
    <Fieldset legend={t.person}>
      <div className={s.two}>
        <Line form={form} name="customer_first_name" label={t.firstName} required autoComplete="given-name" />
        <Line form={form} name="customer_last_name" label={t.lastName} required autoComplete="family-name" />
      </div>
      <Line
        form={form}
        name="customer_email"
        label={t.email}
        required
        autoComplete="email"
        type="email"
        inputMode="email"
      />
      <Controller
        name="customer_phone"
        control={form.control}
        render={({ field, fieldState }) => (
          <Field label={t.phone} required hint={t.phoneHint} error={fieldState.error}>
            {(tied) => (
              <PhoneInput
                {...tied}
                name={field.name}
                ref={field.ref}
                value={field.value}
                onValue={field.onChange}
                onBlur={field.onBlur}
                placeholder={t.phonePlaceholder}
              />
            )}
          </Field>
        )}
      />
    </Fieldset>
  );
}

const names = (): Record<PaymentMethod, string> => ({ CARD: t.card, KASPI_BILL: t.kaspi, CASH: t.cash });

/** How the order is paid: in the ways that the shop has; cash where the shop says what the delivery costs. */
export function PaymentFields({
  form,
  cash,
  methods,
}: {
  form: CheckoutFormApi;
  cash: boolean;
  methods: readonly PaymentMethod[];
}) {
  const { register, formState } = form;
  return (
    <Fieldset legend={t.payment}>
      <Choices>
        {methods
          .filter((method) => cash || method !== 'CASH')
          .map((method) => (
            <Choice key={method} label={names()[method]} value={method} {...register('payment_method')} />
          ))}
      </Choices>
      <FormError>{formState.errors.payment_method}</FormError>
    </Fieldset>
  );
}
