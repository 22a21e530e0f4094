import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { FormField } from '../../../../kit/form/form-field';
import { useMay, useMe } from '../../../me';
import { money } from '../../../parts/format';
import { Action, Confirm, Moment, Section } from '../../../parts/parts';
import type { OrderSheet } from '../../api/queries';
import { EditButton, EditForm, type Held, useEdit } from './edit';
import s from './edit.module.css';
import {
  confirmByHand,
  confirmRefund,
  payByHand,
  refundByHand,
  withdrawByHand,
  withdrawRefund,
} from './queries';
import { needed, whole } from './rules';
import { editTexts as w } from './texts/ru';

type Came = NonNullable<OrderSheet['order']['money']>[number];
type Claim = NonNullable<OrderSheet['order']['hand_claims']>[number];
type RefundClaim = NonNullable<OrderSheet['order']['refund_claims']>[number];

/** The money that came for an order, by a provider or by hand, and what waits for a second person. */
export function HandMoney({ sheet }: { sheet: OrderSheet }) {
  const mayMark = useMay('payments.mark');
  const mayRefund = useMay('orders.refund');
  const { money: came = [], hand_claims: claims = [], refund_claims: back = [], lacks = 0 } = sheet.order;
  const payable = mayMark && sheet.possible.includes('pay_by_hand');
  return (
    <Section
      title={w.money}
      aside={
        payable ? (
          <EditButton label={w.pay} title={w.payTitle} sheet={sheet}>
            {(held) => <PayForm held={held} />}
          </EditButton>
        ) : null
      }
    >
      {lacks > 0 ? <p>{w.lacks(money(lacks))}</p> : null}
      {claims.length > 0 ? (
        <>
          <h3>{w.claims}</h3>
          <ul className={s.list} aria-label={w.claims}>
            {claims.map((claim) => (
              <li key={claim.reference}>
                <span>
                  {w.claim(w.methods[claim.method] ?? claim.method, claim.reference, money(claim.amount))}
                  <span className={s.quiet}>
                    {claimedBy(sheet, claim.reference) ?? claim.by} · <Moment at={claim.at} />
                  </span>
                </span>
                {mayMark ? <ClaimActions sheet={sheet} claim={claim} acts={ofPayments()} /> : null}
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {back.length > 0 ? (
        <>
          <h3>{w.refundClaims}</h3>
          <ul className={s.list} aria-label={w.refundClaims}>
            {back.map((claim) => (
              <li key={claim.reference}>
                <span>
                  {w.refundClaim(claim.reference, money(claim.amount))}
                  <span className={s.quiet}>
                    {claimedBy(sheet, claim.reference, 'order.hand-refund-claimed') ?? claim.by} ·{' '}
                    <Moment at={claim.at} />
                  </span>
                </span>
                {mayRefund ? <ClaimActions sheet={sheet} claim={claim} acts={ofRefunds()} /> : null}
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {came.length > 0 ? (
        <ul className={s.list} aria-label={w.came}>
          {came.map((one) => (
            <li key={one.payment_id}>
              <span>
                {methodOf(one)} {money(one.amount)}
                <span className={s.quiet}>
                  {one.receipt || one.payment_id}
                  {one.by_hand ? ` · ${takenBy(sheet, one)}` : ''}
                  {one.refunded > 0 ? ` · ${w.gaveBack(money(one.refunded))}` : ''}
                </span>
              </span>
              {one.by_hand && mayRefund && owedOf(sheet, one) > 0 ? (
                <EditButton
                  label={w.refund}
                  name={w.refundOf(one.receipt || one.payment_id)}
                  title={w.refundOf(one.receipt || one.payment_id)}
                  sheet={sheet}
                  kind="danger"
                >
                  {(held) => <RefundForm held={held} came={one} />}
                </EditButton>
              ) : null}
            </li>
          ))}
        </ul>
      ) : (
        <p className={s.quiet}>{w.noMoney}</p>
      )}
    </Section>
  );
}

const methodOf = ({ by_hand }: Came) =>
  by_hand ? (w.methods[by_hand.method ?? ''] ?? by_hand.method) : w.byProvider;

/** The e-mail of whoever recorded money that waits; claims name accounts by their id. */
const claimedBy = (
  { steps }: OrderSheet,
  reference: string,
  event = 'order.hand-payment-claimed',
): string | undefined =>
  steps.findLast(
    ({ type, data }) => type === event && (data as { reference?: string }).reference === reference,
  )?.actor;

/** Who took money by hand, and the second person where there was one. */
function takenBy(sheet: OrderSheet, { payment_id, by_hand }: Came): string {
  const paid = sheet.steps.findLast(
    ({ type, data }) => type === 'order.paid' && (data as { payment_id?: string }).payment_id === payment_id,
  )?.actor;
  const first = claimedBy(sheet, payment_id.replace(/^hand:/, ''));
  return [...new Set([first ?? (by_hand?.confirmed_by ? by_hand.by : undefined), paid ?? by_hand?.by])]
    .filter(Boolean)
    .join(', ');
}

/** What of a payment is to be given back by hand. */
const owedOf = (sheet: OrderSheet, { amount, refunded }: Came) =>
  Math.min(sheet.order.owed_by_hand ?? 0, amount - refunded);

/** What a second person may say of a claim. */
type Acts = {
  confirm: (sheet: OrderSheet, reference: string) => Promise<unknown>;
  withdraw: (sheet: OrderSheet, reference: string) => Promise<unknown>;
  confirmOf: (reference: string) => string;
  withdrawOf: (reference: string) => string;
  why: string;
};

const ofPayments = (): Acts => ({
  confirm: confirmByHand,
  withdraw: withdrawByHand,
  confirmOf: w.confirmOf,
  withdrawOf: w.withdrawOf,
  why: w.confirmWhy,
});

const ofRefunds = (): Acts => ({
  confirm: confirmRefund,
  withdraw: withdrawRefund,
  confirmOf: w.confirmRefundOf,
  withdrawOf: w.withdrawRefundOf,
  why: w.confirmRefundWhy,
});

function ClaimActions({ sheet, claim, acts }: { sheet: OrderSheet; claim: Claim | RefundClaim; acts: Acts }) {
  const me = useMe();
  const client = useQueryClient();
  const [asking, setAsking] = useState<'confirm' | 'withdraw'>();
  const own = claim.by === me.email || claim.by.endsWith(me.id);
  return (
    <div className={s.buttons}>
      {own ? (
        <span className={s.quiet}>{w.ownClaim}</span>
      ) : (
        <Action aria-label={acts.confirmOf(claim.reference)} onClick={() => setAsking('confirm')}>
          {w.confirm}
        </Action>
      )}
      <Action
        kind="danger"
        aria-label={acts.withdrawOf(claim.reference)}
        onClick={() => setAsking('withdraw')}
      >
        {w.withdraw}
      </Action>
      {asking ? (
        <Confirm
          title={asking === 'confirm' ? acts.confirmOf(claim.reference) : acts.withdrawOf(claim.reference)}
          button={asking === 'confirm' ? w.confirm : w.withdraw}
          danger={asking === 'withdraw'}
          act={async () => {
            await (asking === 'confirm' ? acts.confirm : acts.withdraw)(sheet, claim.reference);
            await client.invalidateQueries({ queryKey: ['office'] });
          }}
          close={() => setAsking(undefined)}
        >
          <p>{asking === 'confirm' ? acts.why : w.withdrawWhy}</p>
        </Confirm>
      ) : null}
    </div>
  );
}

const payment = z.object({
  method: z.enum(['TRANSFER', 'KASPI_QR', 'CASH']),
  reference: needed,
  amount: whole,
});

function PayForm({ held }: { held: Held }) {
  const form = useForm({
    resolver: zodResolver(payment),
    defaultValues: {
      method: 'TRANSFER' as const,
      reference: '',
      amount: String(held.sheet.order.lacks || ''),
    },
  });
  const edit = useEdit(form, held, ({ amount, ...rest }: z.infer<typeof payment>) =>
    payByHand(held.sheet, { ...rest, amount: Number(amount) }),
  );
  return (
    <EditForm edit={edit}>
      <FormField form={form} name="method" label={w.method}>
        {(input) => (
          <select {...input}>
            {payment.shape.method.options.map((method) => (
              <option key={method} value={method}>
                {w.methods[method]}
              </option>
            ))}
          </select>
        )}
      </FormField>
      <FormField form={form} name="reference" label={w.reference}>
        {(input) => <input {...input} maxLength={100} autoComplete="off" />}
      </FormField>
      <FormField form={form} name="amount" label={w.sum}>
        {(input) => <input {...input} inputMode="numeric" autoComplete="off" />}
      </FormField>
    </EditForm>
  );
}

const refund = z.object({ reference: needed, amount: whole });

function RefundForm({ held, came }: { held: Held; came: Came }) {
  const form = useForm({
    resolver: zodResolver(refund),
    defaultValues: { reference: '', amount: String(owedOf(held.sheet, came)) },
  });
  const edit = useEdit(form, held, ({ reference, amount }: z.infer<typeof refund>) =>
    refundByHand(held.sheet, { payment_id: came.payment_id, reference, amount: Number(amount) }),
  );
  return (
    <EditForm edit={edit} button={w.refund}>
      <FormField form={form} name="reference" label={w.refundReference}>
        {(input) => <input {...input} maxLength={100} autoComplete="off" />}
      </FormField>
      <FormField form={form} name="amount" label={w.sum}>
        {(input) => <input {...input} inputMode="numeric" autoComplete="off" />}
      </FormField>
    </EditForm>
  );
}
