import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Button } from '../../../kit/design/button';
import { Field, FormError } from '../../../kit/design/field';
import type { OrderDetail } from '../../api/types';
import { formatDate, formatMoney } from '../../design/format';
import { returnTexts as t } from '../../texts/order';
import { showRefusal } from '../form/refusal';
import { useRequestReturn } from './order-commands';
import s from './return-request.module.css';

type Back = { product_id: string; amount: number }[];

const inAll = (lines: Back, id: string) =>
  lines.filter(({ product_id }) => product_id === id).reduce((sum, { amount }) => sum + amount, 0);

/** What of an order can still come back. */
const leftOf = (order: OrderDetail) =>
  order.products_amount
    .map(({ amount, product }) => ({
      id: product.id,
      name: product.name,
      most: amount - inAll(order.returned, product.id),
    }))
    .filter(({ most }) => most > 0);

/** Goods that a customer wants to bring back: the wish, what the shop said of it, and what came back. */
export function ReturnRequest({ order, letterKey }: { order: OrderDetail; letterKey?: string }) {
  const [open, setOpen] = useState(false);
  const nameOf = (id: string) =>
    order.products_amount.find(({ product }) => product.id === id)?.product.name ?? '';
  const list = (title: string, lines: Back) => (
    <div>
      <p>{title}</p>
      <ul>
        {lines.map(({ product_id, amount }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same goods may have come back twice
          <li key={at}>
            <span lang="ru">{nameOf(product_id)}</span>: {t.pieces(amount)}
          </li>
        ))}
      </ul>
    </div>
  );
  const possible =
    order.return_until !== null &&
    order.return_asked === null &&
    Date.now() <= Date.parse(order.return_until) &&
    leftOf(order).length > 0;
  if (!possible && !order.return_asked && !order.return_declined && order.returned.length === 0) return null;
  return (
    <section aria-labelledby="return" className={s.part}>
      <h2 id="return">{t.title}</h2>
      {order.returned.length > 0 ? list(t.returned, order.returned) : null}
      {order.goods_back > 0 ? <p>{t.worth(formatMoney(order.goods_back))}</p> : null}
      {order.return_asked ? list(t.asked, order.return_asked) : null}
      {order.return_declined && !order.return_asked ? (
        <p>
          {t.declined} <span lang="ru">{order.return_declined}</span>
        </p>
      ) : null}
      {possible && order.return_until ? (
        <p className={s.soft}>{t.until(formatDate(order.return_until))}</p>
      ) : null}
      {possible ? (
        open ? (
          <Form order={order} letterKey={letterKey} close={() => setOpen(false)} />
        ) : (
          <Button kind="line" onClick={() => setOpen(true)}>
            {t.ask}
          </Button>
        )
      ) : null}
    </section>
  );
}

const schema = z.object({
  lines: z.array(z.object({ id: z.string(), amount: z.string() })).check(
    z.refine((lines) => lines.some(({ amount }) => Number(amount) > 0), {
      path: ['root'],
      error: () => t.choose,
    }),
  ),
  reason: z.string().check(z.trim(), z.minLength(1, { error: () => t.needed })),
});

function Form({
  order,
  letterKey,
  close,
}: {
  order: OrderDetail;
  letterKey: string | undefined;
  close: () => void;
}) {
  const goods = leftOf(order);
  const request = useRequestReturn();
  const form = useForm({
    resolver: zodResolver(schema),
    defaultValues: { lines: goods.map(({ id }) => ({ id, amount: '0' })), reason: '' },
  });
  const submit = form.handleSubmit(async ({ lines, reason }) => {
    const products = lines
      .filter(({ amount }) => Number(amount) > 0)
      .map(({ id, amount }) => ({ product: id, amount: Number(amount) }));
    try {
      await request.mutateAsync({ id: order.id, key: letterKey, products, reason });
      close();
    } catch (error) {
      showRefusal(form, error);
    }
  });
  const { errors, isSubmitting } = form.formState;
  return (
    <form className={s.form} onSubmit={submit} noValidate aria-label={t.ask}>
      {goods.map(({ id, name, most }, at) => (
        <Field key={id} label={t.amountOf(name)} required>
          {(tied) => (
            <select {...tied} {...form.register(`lines.${at}.amount`)}>
              {Array.from({ length: most + 1 }, (_, amount) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the index is the amount
                <option key={amount} value={amount}>
                  {amount}
                </option>
              ))}
            </select>
          )}
        </Field>
      ))}
      <Field label={t.reason} error={errors.reason} required>
        {(tied) => <textarea rows={3} maxLength={500} {...tied} {...form.register('reason')} />}
      </Field>
      <FormError>{errors.lines?.root?.message ?? errors.root}</FormError>
      <div className={s.buttons}>
        <Button type="submit" disabled={isSubmitting}>
          {t.send}
        </Button>
        <Button kind="line" onClick={close}>
          {t.leave}
        </Button>
      </div>
    </form>
  );
}
