import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { FormField } from '../../../../kit/form/form-field';
import { useMay } from '../../../me';
import { Fact, Facts, Loaded, Moment, Section } from '../../../parts/parts';
import type { OrderSheet } from '../../api/queries';
import { carrierName, carriers } from '../../parcels/carriers';
import { type DeliveryDay, handOver, nobody, parcelQueries, today } from '../../parcels/queries';
import { parcelTexts as p } from '../../parcels/texts/ru';
import { EditButton, EditForm, type Held, useEdit } from './edit';
import { editTexts as w } from './texts/ru';

/** How far the order's parcel is, and whom it was handed to. */
export function ParcelOf({ sheet }: { sheet: OrderSheet }) {
  const may = useMay('orders.pack') && sheet.possible.includes('hand_over');
  const o = sheet.order;
  if (!may && !o.packed_at && !o.delivered_at) return null;
  return (
    <Section
      title={p.parcel}
      aside={
        may ? (
          <EditButton label={o.handed_over_at ? p.correct : p.handOver} title={p.handOver} sheet={sheet}>
            {(held) => <HandOver held={held} />}
          </EditButton>
        ) : null
      }
    >
      <Facts>
        {o.packed_at ? (
          <Fact label={p.packed}>
            <Moment at={o.packed_at} />
          </Fact>
        ) : null}
        {o.handed_over_at ? (
          <Fact label={o.carrier ? p.carrier : p.handedOver}>
            {carrierName(o.carrier ?? '')} {o.tracking} <Moment at={o.handed_over_at} />
          </Fact>
        ) : null}
        {o.delivered_at ? (
          <Fact label={p.delivered}>
            <Moment at={o.delivered_at} />
          </Fact>
        ) : null}
      </Facts>
    </Section>
  );
}

const schema = z.object({ courier: z.string(), carrier: z.string(), tracking: z.string() }).check(
  z.refine(({ courier, carrier }) => courier !== '' || carrier.trim() !== '', {
    path: ['carrier'],
    error: () => w.needed,
  }),
  z.refine(({ courier, tracking }) => courier !== '' || tracking.trim() !== '', {
    path: ['tracking'],
    error: () => w.needed,
  }),
);
type Typed = z.infer<typeof schema>;

function HandOver({ held }: { held: Held }) {
  const found = useQuery(parcelQueries.deliveries(today()));
  return (
    <Loaded query={found} what={p.what}>
      {({ couriers }) => <HandOverForm held={held} couriers={couriers} />}
    </Loaded>
  );
}

function HandOverForm({ held, couriers }: { held: Held; couriers: DeliveryDay['couriers'] }) {
  const id = useId();
  const { order, number } = held.sheet;
  const form = useForm({
    resolver: zodResolver(schema),
    defaultValues: {
      courier: order.courier && order.courier !== nobody ? order.courier : '',
      carrier: carrierName(order.carrier ?? ''),
      tracking: order.tracking ?? '',
    },
  });
  const edit = useEdit(form, held, ({ courier, carrier, tracking }: Typed) =>
    handOver(number, courier ? { courier } : { carrier: carrier.trim(), tracking: tracking.trim() }),
  );
  return (
    <EditForm edit={edit} button={p.handOver}>
      <FormField form={form} name="courier" label={p.whom}>
        {(input) => (
          <select {...input}>
            <option value="">{p.byCarrier}</option>
            {couriers.map(({ id, email }) => (
              <option key={id} value={id}>
                {email}
              </option>
            ))}
          </select>
        )}
      </FormField>
      {form.watch('courier') ? null : (
        <>
          <FormField form={form} name="carrier" label={p.carrier}>
            {(input) => <input {...input} list={id} maxLength={40} autoComplete="off" />}
          </FormField>
          <datalist id={id}>
            {carriers.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <FormField form={form} name="tracking" label={p.tracking}>
            {(input) => <input {...input} maxLength={40} autoComplete="off" />}
          </FormField>
        </>
      )}
    </EditForm>
  );
}
