import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Controller, type FieldPath, type Resolver, useForm, useWatch } from 'react-hook-form';
import { isTransient, Problem } from '../../../kit/api/problem';
import { Button } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import { langOf, type Message, serverMessage, textOf } from '../../../kit/design/message';
import { useLocation } from '../../../kit/router/router';
import { linesOf } from '../../api/problem-lines';
import { useSession } from '../../api/session';
import type { OrderRequest, Profile, Rules, Shop } from '../../api/types';
import { formatMoney } from '../../design/format';
import { useHydrated } from '../../design/hydrated';
import { Skeleton } from '../../design/state';
import { useDebounced } from '../../design/use-debounced';
import { useShownAgain } from '../../design/use-shown-again';
import { useSteps } from '../../design/use-steps';
import { checkoutTexts } from '../../texts/checkout';
import { designTexts } from '../../texts/design';
import { BasketLines } from '../basket/basket-lines';
import { asRequestLines, usePricedBasket } from '../basket/basket-queries';
import { DroppedNotice } from '../basket/dropped-notice';
import { Note, Totals, TotalsPanel } from '../basket/totals';
import { contentQueries } from '../content/content-queries';
import { useProfile } from '../customer/customer-queries';
import { afterFrame } from '../form/after-frame';
import { BonusChoice } from './bonus-choice';
import { asConflict, useLeave, usePlaceOrder } from './checkout-commands';
import { loadDraft, saveDraft } from './checkout-draft';
import { DeliveryFields, PaymentFields, PersonFields } from './checkout-fields';
import s from './checkout-form.module.css';
import { checkoutQueries } from './checkout-queries';
import {
  asOrder,
  type CheckoutValues,
  checkoutSchema,
  emptyForm,
  type CheckoutForm as Fields,
  fromProfile,
  type PaymentMethod,
  paymentMethods,
} from './checkout-schema';
import { PromoCode } from './promo-code';

const t = checkoutTexts;

/** A city, or an amount of bonuses, counts for the price when it has stood still for so long. */
const pause = 800;

/** As the server wants it: all that is allowed, so many, or nothing. */
const spendBonus = (choice: Fields['bonus'], amount: string): OrderRequest['spend_bonus'] => {
  if (choice === 'all') return true;
  return choice === 'some' && /^\d+$/.test(amount.trim()) && Number(amount) > 0 ? Number(amount) : undefined;
};

/** In the order of the form. */
const fieldNames = Object.keys(emptyForm) as FieldPath<Fields>[];

/**
 * Everything an order needs, and what it costs while one fills it in. It appears when all it says is known, or is
 * known to be missing, so that nothing moves under the shopper's hand.
 */
export function CheckoutForm() {
  const rules = useQuery(contentQueries.rules());
  const shop = useQuery(contentQueries.shop());
  const session = useSession();
  const profile = useProfile();
  if (rules.isLoading || shop.isLoading || profile.isLoading) {
    return (
      <div role="status" aria-label={designTexts.loading}>
        <Skeleton kind="tile" />
      </div>
    );
  }
  return (
    // Who signs in or out meanwhile gets a form of their own.
    <Form key={session?.userId} rules={rules.data} shop={shop.data} profile={profile.data} />
  );
}

function Form({ rules, shop, profile }: { rules?: Rules; shop?: Shop; profile?: Profile }) {
  const leave = useLeave();
  const hydrated = useHydrated();
  const { state } = useLocation();
  const [start] = useState(() => loadDraft({ ...emptyForm, ...(profile && fromProfile(profile)) }));
  const form = useForm<Fields, unknown, CheckoutValues>({
    mode: 'onTouched',
    defaultValues: start,
    resolver: zodResolver(checkoutSchema) as unknown as Resolver<Fields, unknown, CheckoutValues>,
  });
  const { register, control, setValue, setError, setFocus, formState, subscribe } = form;
  const values = useWatch({ control }) as Fields;
  const { errors, isSubmitted } = formState;
  // Only what changes is kept: the first write to the storage takes long, and the form as it begins is known.
  useEffect(
    () => subscribe({ formState: { values: true }, callback: ({ values }) => saveDraft(values) }),
    [subscribe],
  );

  const pickup = values.delivery_type === 'PICKUP';
  const chosenCity = useDebounced(values.customer_city, pause);
  // Goods are picked up in the shop's own city, so that is the city which decides about cash.
  const city = pickup ? rules?.main_city : chosenCity;
  const [promocode, setPromocode] = useState('');
  const balance = profile?.info.bonus_amount ?? 0;
  const typedBonus = useDebounced(values.bonus_amount, pause);
  const spending = (choice: Fields['bonus'], amount: string) =>
    balance > 0 ? spendBonus(choice, amount) : undefined;
  const priced = usePricedBasket({
    city,
    promocode,
    delivery_type: values.delivery_type,
    payment_method: values.payment_method,
    spend_bonus: spending(values.bonus, typedBonus),
  });
  const { calculation, lines } = priced;

  const methods: readonly PaymentMethod[] = shop?.payment_methods ?? paymentMethods;
  const cash = calculation?.is_delivery_calculated ?? false;
  useEffect(() => {
    // Not while a new price is on its way: the answer may allow cash again.
    if (!cash && !priced.pending && calculation && values.payment_method === 'CASH')
      setValue('payment_method', methods[0] ?? 'CARD');
    // A draft may remember a way that the shop has no more.
    else if (methods[0] && !methods.includes(values.payment_method)) setValue('payment_method', methods[0]);
  }, [cash, priced.pending, calculation, values.payment_method, setValue, methods]);

  const send = usePlaceOrder();
  const [notice, setNotice] = useState<Message[]>();
  const alert = useRef<HTMLParagraphElement>(null);

  const explain = useCallback((...said: Message[]) => {
    setNotice(said);
    alert.current?.focus();
  }, []);

  // An order that was sent again, and refused, leads back here with the reason.
  const refusedBefore: Message = state?.refused;
  const drawn = useSteps(3);
  const isWhole = drawn === 3;
  useEffect(() => {
    if (refusedBefore && isWhole) explain(refusedBefore);
  }, [refusedBefore, isWhole, explain]);

  const refused = (error: unknown) => {
    // Without an answer the attempt itself takes the place of the form.
    if (!(error instanceof Problem) || isTransient(error)) return;
    const conflict = asConflict(error);
    if (conflict?.calculation) {
      priced.accept(conflict.calculation);
      return explain(
        serverMessage(conflict.detail),
        t.priceChanged(formatMoney(conflict.calculation.total_paid)),
      );
    }
    const lines = linesOf(error);
    if (lines) {
      priced.refuse(lines);
      return explain(t.linesChanged);
    }
    const { fields } = error;
    const known = fieldNames.filter((name) => fields[name] !== undefined);
    for (const name of known) setError(name, serverMessage(fields[name]));
    if (known[0]) setFocus(known[0]);
    const other = Object.entries(fields).flatMap(([name, message]) => (name in emptyForm ? [] : [message]));
    const said = error.detail ?? other.join(' ');
    if (said) explain(serverMessage(said));
    else if (known.length > 0) setNotice(undefined);
    else explain(t.notPlaced);
  };

  const client = useQueryClient();
  /** The promo code of the order; one that was typed a moment ago is looked up first, and fails if it is none. */
  const codeOf = async (typed: string) => {
    const question = checkoutQueries.promoCode(typed);
    if (typed === '' || client.getQueryState(question.queryKey)?.status === 'error') return undefined;
    await client.query({ ...question, staleTime: 'static' });
    return typed;
  };

  const submit = form.handleSubmit(async (order) => {
    setNotice(undefined);
    let code: string | undefined;
    try {
      code = await codeOf(order.promocode);
    } catch (error) {
      return isTransient(error) ? explain(t.notPlaced) : setFocus('promocode');
    }
    try {
      leave(
        await send.mutateAsync(
          asOrder(order, {
            products: asRequestLines(lines),
            // Where the code has changed the sum, the shop answers with the new one before it takes the order.
            expected_total: calculation?.total_paid,
            promocode: code,
            spend_bonus: spending(order.bonus, order.bonus_amount),
            pickupCity: rules?.main_city,
          }),
        ),
      );
    } catch (error) {
      refused(error);
    }
  });

  // Back from the bank the form must not stand there as sent.
  useShownAgain(send.reset);

  const wrong = isSubmitted ? Object.keys(errors).length : 0;
  const idle = !formState.isSubmitting && !send.isPending && !send.isSuccess;

  return (
    <form noValidate className={s.form} onSubmit={afterFrame(submit)}>
      <div className={s.fields}>
        <DeliveryFields form={form} shop={shop} pickup={pickup} />
        {drawn > 1 ? (
          <>
            <PersonFields form={form} />
            <PaymentFields form={form} cash={cash} methods={methods} />
            {balance > 0 && rules ? (
              <BonusChoice
                balance={balance}
                rules={rules}
                sum={calculation?.discounted_sum ?? 0}
                some={values.bonus === 'some'}
                error={errors.bonus_amount}
                register={register}
              />
            ) : null}
          </>
        ) : null}
      </div>
      {isWhole ? (
        <TotalsPanel label={t.order}>
          <h2>{t.order}</h2>
          <DroppedNotice dropped={priced.dropped} />
          <BasketLines lines={lines} small />
          <Controller
            name="promocode"
            control={control}
            render={({ field: input }) => (
              <PromoCode
                ref={input.ref}
                value={input.value}
                onValue={input.onChange}
                onCode={setPromocode}
                refusal={calculation?.promocode_error}
              />
            )}
          />
          {/* Without goods there is no price to wait for; before hydration nobody knows. */}
          {hydrated && lines.length === 0 ? null : (
            <Totals
              calculation={calculation}
              pending={priced.pending}
              failed={priced.failed}
              retry={priced.retry}
              way={pickup ? 'pickup' : city ? 'courier' : 'city'}
            />
          )}
          {calculation && calculation.missing_sum > 0 ? (
            <Note>{t.minimum(formatMoney(calculation.missing_sum))}</Note>
          ) : calculation?.reason ? (
            <Note>
              <span lang={langOf(serverMessage(calculation.reason.text))}>{calculation.reason.text}</span>
            </Note>
          ) : null}
          <Button
            type="submit"
            disabled={lines.length === 0 || !idle || calculation?.can_create_order === false}
          >
            {send.isPending ? t.sending : values.payment_method === 'CARD' ? t.pay : t.next}
          </Button>
          <FormError>{wrong > 0 ? t.errors(wrong) : ''}</FormError>
          <p ref={alert} className={s.alert} role="alert" tabIndex={-1}>
            {notice?.map((said) => (
              <span key={textOf(said)} lang={langOf(said)}>
                {textOf(said)}{' '}
              </span>
            ))}
          </p>
          <p className={s.small}>
            {t.offerBefore}
            {shop?.offer_url ? <a href={shop.offer_url}>{t.offerLink}</a> : t.offerLink}.
          </p>
        </TotalsPanel>
      ) : null}
    </form>
  );
}
