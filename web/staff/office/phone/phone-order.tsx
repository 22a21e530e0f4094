import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { Checkbox } from '../../../kit/design/checkbox';
import { Link } from '../../../kit/design/link';
import { words } from '../../api/client';
import { useMe } from '../../me';
import f from '../../parts/field.module.css';
import { money } from '../../parts/format';
import { Action, Head, Section } from '../../parts/parts';
import { PriceSteps } from '../orders/price-steps';
import { Callers } from './callers';
import { type Draft, useDraft } from './draft';
import { Goods } from './goods';
import s from './phone.module.css';
import { phoneQueries, placeOrder, type Receipt } from './queries';
import { phoneTexts as w } from './texts/ru';

type Errors = Record<string, string>;

/** As long as the shop has not said which it has, it may have all; it refuses what it has not. */
const ways: Draft['payment'][] = ['CASH', 'CARD', 'KASPI_BILL'];

/** An order that somebody gives on the telephone. */
export function PhoneOrder() {
  const me = useMe();
  const client = useQueryClient();
  const { draft, change, clear } = useDraft(me.id);
  const price = useQuery(phoneQueries.price(draft));
  const methods = useQuery(phoneQueries.methods()).data ?? ways;
  const [errors, setErrors] = useState<Errors>({});
  const [failed, setFailed] = useState('');
  const [sending, setSending] = useState(false);
  const [placed, setPlaced] = useState<{ receipt: Receipt; draft: Draft }>();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (sending) return;
    setSending(true);
    setErrors({});
    setFailed('');
    try {
      const receipt = await placeOrder(draft, draft.lines.length > 0 ? price.data?.total_paid : undefined);
      setPlaced({ receipt, draft });
      clear();
      await client.invalidateQueries({ queryKey: ['office'] });
    } catch (failure) {
      const fields = failure instanceof Problem ? failure.fields : {};
      setErrors(fields);
      const outdated = failure instanceof Problem && failure.status === 409 && !failure.detail;
      if (outdated) setFailed(w.otherPrice);
      else if (Object.keys(fields).length === 0) setFailed(words(failure));
      await price.refetch();
    } finally {
      setSending(false);
    }
  };
  if (placed)
    return <Placed receipt={placed.receipt} draft={placed.draft} again={() => setPlaced(undefined)} />;

  const priceErrors = price.error instanceof Problem ? price.error.fields : {};
  const wrong = { ...priceErrors, ...errors };
  const typed = (
    name:
      | 'first'
      | 'last'
      | 'email'
      | 'phone'
      | 'city'
      | 'street'
      | 'house'
      | 'apartment'
      | 'comment'
      | 'promocode'
      | 'percent',
    label: string,
    field: string,
    more: { type?: string; inputMode?: 'tel' | 'email' | 'numeric' } = {},
  ) => (
    <Typed
      label={label}
      error={wrong[field]}
      {...more}
      value={draft[name]}
      set={(value) => change({ [name]: value })}
    />
  );
  return (
    <>
      <Head title={w.title} lead={w.lead}>
        <Action onClick={clear}>{w.clear}</Action>
      </Head>
      <form className={s.form} onSubmit={submit} noValidate>
        <Goods draft={draft} change={change} problem={price.error} />
        <Section title={w.customer}>
          <div className={s.fields}>
            {typed('phone', w.phone, 'customer_phone', { inputMode: 'tel', type: 'tel' })}
            {typed('email', w.email, 'customer_email', { inputMode: 'email', type: 'email' })}
          </div>
          <Callers draft={draft} change={change} />
          <div className={s.fields}>
            {typed('first', w.first, 'customer_first_name')}
            {typed('last', w.last, 'customer_last_name')}
          </div>
        </Section>
        <Section title={w.delivery}>
          <div className={s.fields}>
            <label className={f.field}>
              {w.how}
              <select
                value={draft.delivery}
                onChange={({ target }) => change({ delivery: target.value as Draft['delivery'] })}
              >
                <option value="DELIVERY">{w.byCourier}</option>
                <option value="PICKUP">{w.pickup}</option>
              </select>
            </label>
            {draft.delivery === 'DELIVERY' ? (
              <>
                {typed('city', w.city, 'customer_city')}
                {typed('street', w.street, 'customer_street')}
                {typed('house', w.house, 'customer_house')}
                {typed('apartment', w.apartment, 'customer_apartment')}
                {typed('comment', w.comment, 'address_comment')}
              </>
            ) : null}
            <label className={f.field}>
              {w.payment}
              <select
                value={draft.payment}
                aria-invalid={Boolean(wrong.payment_method)}
                onChange={({ target }) => change({ payment: target.value as Draft['payment'] })}
              >
                {ways
                  .filter((way) => way === draft.payment || methods.includes(way))
                  .map((way) => (
                    <option key={way} value={way}>
                      {{ CASH: w.cash, CARD: w.card, KASPI_BILL: w.kaspi }[way]}
                    </option>
                  ))}
              </select>
            </label>
          </div>
          <p role="alert" className={s.failed}>
            {wrong.payment_method}
          </p>
        </Section>
        <Section title={w.discount}>
          <div className={s.fields}>
            {typed('promocode', w.promocode, 'promocode')}
            {typed('percent', w.percent, 'manual_percent', { inputMode: 'numeric' })}
            <Reason draft={draft} change={change} error={wrong.manual_reason} />
          </div>
          <p className={s.quiet}>{w.discountWhy}</p>
        </Section>
        <Section title={w.price}>
          {draft.lines.length === 0 || !price.data ? (
            <p className={s.quiet}>{w.noGoods}</p>
          ) : (
            <>
              <PriceSteps
                steps={price.data.explanation}
                total={w.total}
                paid={price.data.total_paid}
                busy={price.isPlaceholderData}
              />
              {price.data.missing_sum > 0 ? (
                <p className={s.failed}>{w.missing(money(price.data.missing_sum))}</p>
              ) : null}
              {price.data.promocode_error ? (
                <p className={s.failed} lang="ru">
                  {price.data.promocode_error}
                </p>
              ) : null}
            </>
          )}
        </Section>
        <Checkbox
          label={w.consent}
          checked={draft.consent}
          aria-invalid={Boolean(wrong.consent)}
          onChange={({ target }) => change({ consent: target.checked })}
        />
        <p role="alert" className={s.failed} lang="ru">
          {wrong.consent}
        </p>
        <p role="alert" className={s.failed}>
          {failed}
        </p>
        <div className={s.buttons}>
          <Action kind="strong" type="submit" aria-disabled={sending}>
            {w.place}
          </Action>
        </div>
      </form>
    </>
  );
}

function Reason({
  draft,
  change,
  error,
}: {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  error: string | undefined;
}) {
  const id = useId();
  return (
    <div>
      <label className={f.field}>
        {w.reason}
        <select
          value={draft.reason}
          aria-invalid={Boolean(error)}
          aria-describedby={id}
          onChange={({ target }) => change({ reason: target.value })}
        >
          <option value="">{w.noReason}</option>
          {Object.entries(w.reasons).map(([code, said]) => (
            <option key={code} value={code}>
              {said}
            </option>
          ))}
        </select>
      </label>
      <p id={id} role="alert" className={s.failed} lang="ru">
        {error}
      </p>
    </div>
  );
}

/** A field with what is wrong with it. The shop says that in Russian. */
function Typed({
  label,
  error,
  value,
  set,
  ...more
}: {
  label: string;
  error: string | undefined;
  value: string;
  set: (value: string) => void;
  type?: string;
  inputMode?: 'tel' | 'email' | 'numeric';
}) {
  const id = useId();
  return (
    <div>
      <label className={f.field}>
        {label}
        <input
          {...more}
          value={value}
          autoComplete="off"
          aria-invalid={Boolean(error)}
          aria-describedby={id}
          onChange={({ target }) => set(target.value)}
        />
      </label>
      <p id={id} role="alert" className={s.failed} lang="ru">
        {error}
      </p>
    </div>
  );
}

/** What to do with the order that was placed: pay link to read out or send. */
function Placed({ receipt, draft, again }: { receipt: Receipt; draft: Draft; again: () => void }) {
  const [copied, setCopied] = useState(false);
  const url = receipt.payment_url;
  // The customer reads it, so it is Russian whatever language staff use.
  const message = `Здравствуйте! Ваш заказ ${receipt.number} на ${money(receipt.total_paid)} оформлен.${url ? ` Оплатить: ${url}` : ''}`;
  const digits = draft.phone.replace(/\D/g, '').replace(/^8(?=\d{10}$)/, '7');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(url ?? '');
      setCopied(true);
    } catch {
      setCopied(false);
    }
  };
  return (
    <>
      <Head title={w.placed(receipt.number)} lead={w.placedWhy(draft.email)} />
      <p>
        {w.total}: <b>{money(receipt.total_paid)}</b>
      </p>
      {url ? (
        <Section title={w.payLink}>
          <p className={s.link}>{url}</p>
          <Action onClick={copy}>{w.copy}</Action> <span role="status">{copied ? w.copied : ''}</span>
        </Section>
      ) : null}
      <div className={s.buttons}>
        <a
          className={s.whatsapp}
          href={`https://wa.me/${digits}?text=${encodeURIComponent(message)}`}
          target="_blank"
          rel="noreferrer"
        >
          {w.whatsapp}
        </a>
        <Link to={`/admin/orders/${receipt.number}`}>{w.toOrder}</Link>
        <Action onClick={again}>{w.another}</Action>
      </div>
    </>
  );
}
