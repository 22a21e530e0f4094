import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Checkbox } from '../../../../kit/design/checkbox';
import { Field } from '../../../../kit/design/field';
import { FormField } from '../../../../kit/form/form-field';
import { useMay } from '../../../me';
import { count, money } from '../../../parts/format';
import { Moment, Section } from '../../../parts/parts';
import type { OrderSheet } from '../../api/queries';
import { EditButton, EditForm, type Held, useEdit } from './edit';
import s from './edit.module.css';
import { declineReturn, takeBack, versionOf } from './queries';
import { needed, wholeOrNone } from './rules';
import { editTexts as w } from './texts/ru';

type Asked = NonNullable<OrderSheet['order']['return_asked']>;

/** Goods of a completed order that came back, and what its customer wants to bring. */
export function Returns({ sheet }: { sheet: OrderSheet }) {
  const mayTake = useMay('orders.refund') && sheet.possible.includes('return');
  const mayDecline = useMay('orders.change');
  const { returns = [], return_asked: request } = sheet.order;
  if (!mayTake && returns.length === 0 && !request) return null;
  const nameOf = (id: string) => sheet.order.lines.find((line) => line.product_id === id)?.name ?? id;
  return (
    <Section
      title={w.returns}
      aside={
        mayTake && !request ? (
          <EditButton label={w.takeBack} title={w.takeBackTitle} sheet={sheet}>
            {(held) => <ReturnForm held={held} />}
          </EditButton>
        ) : null
      }
    >
      {request ? (
        <div className={s.overtaken}>
          <h3>{w.asked}</h3>
          <p className={s.quiet}>
            {w.askedAt} <Moment at={request.at} />
          </p>
          <ul>
            {request.lines.map(({ product_id, amount }) => (
              <li key={product_id}>{w.piecesOf(nameOf(product_id), count(amount))}</li>
            ))}
          </ul>
          <p>{wishOf(sheet)}</p>
          <div className={s.buttons}>
            {mayTake ? (
              <EditButton label={w.grant} title={w.takeBackTitle} sheet={sheet}>
                {(held) => <ReturnForm held={held} request={request} />}
              </EditButton>
            ) : null}
            {mayDecline ? (
              <EditButton label={w.decline} title={w.declineTitle} sheet={sheet} kind="danger">
                {(held) => <DeclineForm held={held} request={request} />}
              </EditButton>
            ) : null}
          </div>
        </div>
      ) : null}
      <ul className={s.list} aria-label={w.returns}>
        {returns.map((one) => (
          <li key={one.id}>
            <span>
              {one.lines
                .map(
                  ({ product_id, amount, written_off }) =>
                    `${w.piecesOf(nameOf(product_id), count(amount))}, ${written_off ? w.scrapped : w.intoStock}`,
                )
                .join('; ')}
              <span className={s.quiet}>
                {one.reason} · <Moment at={one.at} />
              </span>
            </span>
            <b>{money(one.money)}</b>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Why the customer wants to bring goods back, from the order's history. */
function wishOf({ steps }: OrderSheet): string {
  const asked = steps.findLast(({ type }) => type === 'order.return-requested');
  return ((asked?.data ?? {}) as { reason?: string }).reason ?? '';
}

const schema = z.object({
  lines: z
    .array(
      z.object({
        product_id: z.string(),
        amount: wholeOrNone,
        written_off: z.boolean(),
      }),
    )
    .check(
      z.refine((lines) => lines.some(({ amount }) => Number(amount) > 0), {
        path: ['root'],
        error: () => w.somewhere,
      }),
    ),
  reason: needed,
  late: z.string(),
});

type Typed = z.infer<typeof schema>;
type Row = Typed['lines'][number] & { name: string; most: number };

/** The lines that can still come back, with the amounts that were asked for. */
const rowsOf = ({ order }: OrderSheet, request: Asked | undefined): Row[] =>
  order.lines.flatMap(({ product_id, name, amount }) => {
    const back = (order.returns ?? [])
      .flatMap(({ lines }) => lines)
      .filter((line) => line.product_id === product_id)
      .reduce((sum, line) => sum + line.amount, 0);
    const wanted = request?.lines.find((line) => line.product_id === product_id)?.amount ?? 0;
    const most = amount - back;
    return most > 0
      ? [{ product_id, name, most, amount: wanted ? String(wanted) : '', written_off: false }]
      : [];
  });

function ReturnForm({ held, request }: { held: Held; request?: Asked }) {
  // One for the form as it is open: a request that is sent twice counts once.
  const [return_id] = useState(() => crypto.randomUUID());
  const rows = rowsOf(held.sheet, request);
  const form = useForm({
    resolver: zodResolver(schema),
    defaultValues: {
      lines: rows.map(({ product_id, amount, written_off }) => ({ product_id, amount, written_off })),
      reason: request ? wishOf(held.sheet).replace(/.*•.*/s, '') : '',
      late: '',
    },
  });
  const edit = useEdit(form, held, ({ lines, reason, late }: Typed) =>
    takeBack(held.sheet, {
      version: versionOf(held.sheet),
      return_id,
      ...(request ? { request_id: request.id } : {}),
      reason,
      ...(late.trim() ? { late: late.trim() } : {}),
      lines: lines
        .filter(({ amount }) => Number(amount) > 0)
        .map(({ product_id, amount, written_off }) => ({
          product_id,
          amount: Number(amount),
          written_off,
        })),
    }),
  );
  const wrong = form.formState.errors.lines;
  return (
    <EditForm edit={edit} button={w.takeBack}>
      <p className={s.quiet}>{w.stockWhy}</p>
      <ul className={s.list} aria-label={w.takeBackTitle}>
        {rows.map(({ product_id, name, most }, at) => (
          <li key={product_id}>
            <Field label={w.backOf(name, most)} error={wrong?.[at]?.amount} required>
              {(tied) => (
                <input
                  {...tied}
                  {...form.register(`lines.${at}.amount`)}
                  inputMode="numeric"
                  autoComplete="off"
                />
              )}
            </Field>
            <Checkbox
              label={w.writtenOff}
              aria-label={w.writtenOffOf(name)}
              {...form.register(`lines.${at}.written_off`)}
            />
          </li>
        ))}
      </ul>
      <p role="alert" className={s.failed}>
        {wrong?.root?.message}
      </p>
      <FormField form={form} name="reason" label={w.reason}>
        {(input) => <input {...input} maxLength={500} autoComplete="off" />}
      </FormField>
      <FormField form={form} name="late" label={w.late} hint={w.lateHint} required={false}>
        {(input) => <input {...input} maxLength={500} autoComplete="off" />}
      </FormField>
    </EditForm>
  );
}

const declined = z.object({ reason: needed });

function DeclineForm({ held, request }: { held: Held; request: Asked }) {
  const form = useForm({ resolver: zodResolver(declined), defaultValues: { reason: '' } });
  const edit = useEdit(form, held, ({ reason }: z.infer<typeof declined>) =>
    declineReturn(held.sheet, request.id, reason),
  );
  return (
    <EditForm edit={edit} button={w.decline}>
      <FormField form={form} name="reason" label={w.declineReason}>
        {(input) => <input {...input} maxLength={500} autoComplete="off" />}
      </FormField>
    </EditForm>
  );
}
