import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { FormField } from '../../../../kit/form/form-field';
import { useMay } from '../../../me';
import type { OrderSheet } from '../../api/queries';
import { EditButton, EditForm, type Held, useEdit } from './edit';
import s from './edit.module.css';
import { changeAddress, versionOf } from './queries';
import { editTexts as w } from './texts/ru';

/** Opens contact, address and promised day for a change; only for who sees them in clear: a mask must not be saved. */
export function ChangeAddress({ sheet }: { sheet: OrderSheet }) {
  const may = [useMay('orders.change'), useMay('personal.see')];
  const o = sheet.order;
  const masked = [o.customer_first_name, o.customer_phone, o.customer_street].some((it) => it?.includes('•'));
  if (may.includes(false) || masked || !sheet.possible.includes('edit')) return null;
  return (
    <EditButton label={w.address} title={w.addressTitle} sheet={sheet}>
      {(held) => <AddressForm held={held} />}
    </EditButton>
  );
}

const text = z.string().check(z.trim());
const schema = z.object({
  first_name: text,
  last_name: text,
  phone: text,
  email: text,
  city: text,
  street: text,
  house: text,
  apartment: text,
  entrance: text,
  floor: text,
  comment: text,
  delivery_date: text,
  reason: text,
});
type Typed = z.infer<typeof schema>;

const typedOf = ({ order: o }: OrderSheet): Typed => ({
  first_name: o.customer_first_name ?? '',
  last_name: o.customer_last_name ?? '',
  phone: o.customer_phone ?? '',
  email: o.customer_email ?? '',
  city: o.customer_city ?? '',
  street: o.customer_street ?? '',
  house: o.customer_house ?? '',
  apartment: o.customer_apartment ?? '',
  entrance: o.customer_entrance ?? '',
  floor: o.customer_floor ?? '',
  comment: o.address_comment ?? '',
  delivery_date: o.delivery_date?.slice(0, 10) ?? '',
  reason: '',
});

function AddressForm({ held }: { held: Held }) {
  const form = useForm({ resolver: zodResolver(schema), defaultValues: typedOf(held.sheet) });
  const edit = useEdit(form, held, (typed: Typed) => {
    const { first_name, last_name, phone, email, delivery_date, reason, ...address } = typed;
    return changeAddress(held.sheet, {
      version: versionOf(held.sheet),
      contact: { first_name, last_name, phone, email },
      address,
      // The same day is none that somebody chose: in another city the rules then say it.
      delivery_date: delivery_date === typedOf(held.sheet).delivery_date ? '' : delivery_date,
      reason,
    });
  });
  const field = (name: keyof Typed, label: string, type = 'text') => (
    <FormField form={form} name={name} label={label} required={false}>
      {(input) => (
        <input {...input} type={type} maxLength={name === 'reason' ? 500 : 200} autoComplete="off" />
      )}
    </FormField>
  );
  return (
    <EditForm edit={edit}>
      <div className={s.fields}>
        {field('first_name', w.first)}
        {field('last_name', w.last)}
        {field('phone', w.phone, 'tel')}
        {field('email', w.email, 'email')}
        {held.sheet.order.delivery_type === 'PICKUP' ? null : (
          <>
            {field('city', w.city)}
            {field('street', w.street)}
            {field('house', w.house)}
            {field('apartment', w.apartment)}
            {field('entrance', w.entrance)}
            {field('floor', w.floor)}
            {field('comment', w.comment)}
          </>
        )}
        {field('delivery_date', w.day, 'date')}
        {field('reason', w.reason)}
      </div>
      {held.sheet.order.delivery_type === 'PICKUP' ? null : <p className={s.quiet}>{w.cityWhy}</p>}
    </EditForm>
  );
}
