import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Problem } from '../../../../kit/api/problem';
import { Field } from '../../../../kit/design/field';
import { serverMessage } from '../../../../kit/design/message';
import { FormField } from '../../../../kit/form/form-field';
import { words } from '../../../api/client';
import { useMay } from '../../../me';
import f from '../../../parts/field.module.css';
import { money } from '../../../parts/format';
import { Action } from '../../../parts/parts';
import { goods } from '../../api/goods';
import type { OrderSheet } from '../../api/queries';
import { PriceSteps } from '../price-steps';
import { EditButton, EditForm, type Held, useEdit } from './edit';
import s from './edit.module.css';
import { changeLines, type NewLines, preview, versionOf } from './queries';
import { needed, whole, wholeOrNone } from './rules';
import { editTexts as w } from './texts/ru';

/** Opens what was ordered for a change, as long as the order is with the shop. */
export function ChangeLines({ sheet }: { sheet: OrderSheet }) {
  if (!useMay('orders.change') || !sheet.possible.includes('edit')) return null;
  return (
    <EditButton label={w.lines} title={w.linesTitle} sheet={sheet}>
      {(held) => <LinesForm held={held} />}
    </EditButton>
  );
}

const schema = z.object({
  lines: z
    .array(
      z
        .object({
          product_id: z.string(),
          name: z.string(),
          article: z.string(),
          /** What one piece costs as the order stands; empty for a line that is new. */
          cost: z.string(),
          amount: whole,
          price: wholeOrNone,
          reason: z.string(),
          /** Whether the price was given by hand before. */
          byHand: z.boolean(),
        })
        .check(
          z.refine(
            ({ price, cost, reason }) => price.trim() === cost || !price.trim() || reason.trim() !== '',
            {
              path: ['reason'],
              error: () => w.needed,
            },
          ),
        ),
    )
    .check(z.minLength(1, { error: () => w.noLines })),
  reason: needed,
});

type Typed = z.infer<typeof schema>;
type Row = Typed['lines'][number];

/** The lines as the shop takes them; a price that nobody gave by hand stays that of the line. */
const asked = (rows: Row[]): NewLines['lines'] =>
  rows.map(({ product_id, amount, price, cost, reason, byHand }) => {
    const given = price.trim();
    return {
      product_id,
      amount: Number(amount),
      ...(given && (byHand || given !== cost) ? { price: Number(given), reason: reason.trim() } : {}),
    };
  });

function rowsOf({ order }: OrderSheet): Row[] {
  return order.lines.map(({ product_id, name, article, amount, discounted_price }) => {
    const hand = order.by_hand?.find((one) => one.product_id === product_id);
    const cost = String(hand?.price ?? discounted_price);
    return {
      product_id,
      name,
      article,
      cost,
      amount: String(amount),
      price: cost,
      reason: hand?.reason ?? '',
      byHand: hand !== undefined,
    };
  });
}

function LinesForm({ held }: { held: Held }) {
  const form = useForm({
    resolver: zodResolver(schema),
    defaultValues: { lines: rowsOf(held.sheet), reason: '' },
  });
  const edit = useEdit(form, held, ({ lines, reason }: Typed) =>
    changeLines(held.sheet, { version: versionOf(held.sheet), lines: asked(lines), reason }),
  );
  const rows = form.watch('lines');
  const set = (lines: Row[]) => {
    form.clearErrors('lines');
    form.setValue('lines', lines);
  };
  const valid = rows.every(({ amount, price }) => /^[1-9]\d*$/.test(amount) && /^\d*$/.test(price));
  const price = useQuery(preview(held.sheet, valid ? asked(rows) : undefined));
  const refused = price.error instanceof Problem ? price.error.fields : {};
  const errors = form.formState.errors.lines;
  const cell = (at: number, name: 'amount' | 'price' | 'reason', label: string, aria: string) => (
    <Field
      label={label}
      required={name === 'amount'}
      error={errors?.[at]?.[name] ?? serverMessage(refused[`lines.${at}.${name}`])}
    >
      {(tied) => (
        <input
          {...tied}
          {...form.register(`lines.${at}.${name}`)}
          aria-label={aria}
          inputMode={name === 'reason' ? undefined : 'numeric'}
          autoComplete="off"
          maxLength={name === 'reason' ? 200 : 9}
        />
      )}
    </Field>
  );
  return (
    <EditForm edit={edit}>
      <ul className={s.list} aria-label={w.linesTitle}>
        {rows.map((row, at) => (
          <li key={row.product_id}>
            <span>
              {row.name} <small>{row.article}</small>
            </span>
            <Action
              kind="danger"
              aria-label={w.removeOf(row.name)}
              onClick={() => set(rows.filter((_, other) => other !== at))}
            >
              {w.remove}
            </Action>
            <div className={s.fields}>
              {cell(at, 'amount', w.amount, w.amountOf(row.name))}
              {cell(at, 'price', w.price, w.priceOf(row.name))}
            </div>
            <div className={s.wide}>
              {row.byHand || (row.price.trim() && row.price.trim() !== row.cost)
                ? cell(at, 'reason', w.priceReason, w.priceReasonOf(row.name))
                : null}
              <p role="alert" className={s.failed} lang="ru">
                {form.formState.errors.lines?.[at]?.product_id?.message ?? refused[`lines.${at}.product_id`]}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {rows.length === 0 ? (
        <p role="alert" className={s.failed}>
          {w.noLines}
        </p>
      ) : null}
      <AddGoods
        add={(one) =>
          set(
            rows.some(({ product_id }) => product_id === one.product_id)
              ? rows.map((row) =>
                  row.product_id === one.product_id
                    ? { ...row, amount: String(Number(row.amount) + 1) }
                    : row,
                )
              : [...rows, { ...one, cost: '', amount: '1', price: '', reason: '', byHand: false }],
          )
        }
      />
      <FormField form={form} name="reason" label={w.linesReason}>
        {(input) => <input {...input} maxLength={500} autoComplete="off" />}
      </FormField>
      <section aria-label={w.preview} aria-busy={price.isFetching}>
        <h3>{w.preview}</h3>
        <p className={s.quiet}>{w.was(money(held.sheet.order.total_paid))}</p>
        {price.error && Object.keys(refused).length === 0 ? (
          <p role="alert" className={s.failed}>
            {words(price.error)}
          </p>
        ) : null}
        {price.data && !price.error && rows.length > 0 ? (
          <PriceSteps steps={price.data.explanation} total={w.total} paid={price.data.total_paid} />
        ) : null}
      </section>
    </EditForm>
  );
}

function AddGoods({ add }: { add: (one: Pick<Row, 'product_id' | 'name' | 'article'>) => void }) {
  const [query, setQuery] = useState('');
  const found = useQuery(goods(useDeferredValue(query.trim())));
  return (
    <div>
      <label className={f.field}>
        {w.search}
        <input
          type="search"
          value={query}
          autoComplete="off"
          onChange={({ target }) => setQuery(target.value)}
          // Enter would send the form.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      </label>
      {query.trim().length > 1 && found.data ? (
        <ul className={s.list} aria-label={w.found}>
          {found.data.results.map(({ id, name, article, discounted_price, amount }) => (
            <li key={id}>
              <span>
                {name} <small>{article}</small> {money(discounted_price)} {amount > 0 ? '' : w.soldOut}
              </span>
              <Action
                aria-label={w.addOf(name)}
                aria-disabled={amount <= 0}
                onClick={() => {
                  if (amount <= 0) return;
                  add({ product_id: id, name, article });
                  setQuery('');
                }}
              >
                {w.add}
              </Action>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
