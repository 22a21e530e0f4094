import type { ReactNode } from 'react';
import type { Calculation } from '../../api/types';
import { formatMoney } from '../../design/format';
import { Money } from '../../design/money';
import { LoadError, Skeleton } from '../../design/state';
import { basketTexts, totalsTexts } from '../../texts/basket';
import { designTexts } from '../../texts/design';
import s from './totals.module.css';

const t = totalsTexts;

/** The parts of a price that the panel shows: of a basket's present price, or of an order's. */
export type Priced = Pick<
  Calculation,
  | 'total_sum'
  | 'order_discount'
  | 'discounted_sum'
  | 'bonus_spent'
  | 'is_delivery_calculated'
  | 'delivery_price'
  | 'total_paid'
  | 'payable_now'
  | 'payable_on_delivery'
  | 'explanation'
>;

/** How the goods reach the shopper, for the words beside the delivery price; later and city: not known yet. */
export type DeliveryWay = 'later' | 'city' | 'courier' | 'pickup';

/** The panel with what the basket costs and whatever follows from it. */
export function TotalsPanel({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className={s.panel} aria-label={label}>
      {children}
    </section>
  );
}

/** The sums and, folded, how the server came to them. */
export function Totals({
  calculation,
  pending,
  failed,
  retry,
  way,
}: {
  calculation: Priced | undefined;
  pending: boolean;
  failed: boolean;
  retry: () => void;
  way: DeliveryWay;
}) {
  if (failed) return <LoadError title={basketTexts.priceFailed} retry={retry} />;
  if (!calculation) return <TotalsSkeleton />;
  const off = calculation.total_sum - calculation.discounted_sum;
  const split = calculation.payable_now > 0 && calculation.payable_on_delivery > 0;
  return (
    <>
      <dl className={s.sums} aria-busy={pending}>
        <Sum name={t.goods} value={calculation.total_sum} />
        {off > 0 ? <Sum name={t.discount(calculation.order_discount)} value={-off} off /> : null}
        {calculation.bonus_spent > 0 ? <Sum name={t.bonus} value={-calculation.bonus_spent} off /> : null}
        <dt>{way === 'pickup' ? t.pickup : t.delivery}</dt>
        <dd className={calculation.delivery_price > 0 ? undefined : s.soft}>
          {calculation.delivery_price > 0 ? (
            <Money value={calculation.delivery_price} />
          ) : (
            free(calculation, way)
          )}
        </dd>
        <dt className={s.total}>{t.total}</dt>
        <dd className={s.total}>
          <Money value={calculation.total_paid} />
        </dd>
        {split ? <Sum name={t.payNow} value={calculation.payable_now} /> : null}
        {split ? <Sum name={t.payOnDelivery} value={calculation.payable_on_delivery} /> : null}
      </dl>
      <Explanation calculation={calculation} />
    </>
  );
}

/** What a delivery price of nothing means. */
function free(calculation: Priced, way: DeliveryWay): string {
  if (way === 'later') return t.deliveryLater;
  if (way === 'city') return t.deliveryCity;
  return way === 'pickup' || calculation.is_delivery_calculated ? t.deliveryFree : t.deliveryCourier;
}

function Sum({ name, value, off = false }: { name: string; value: number; off?: boolean }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className={off ? s.off : undefined}>
        <Money value={value} />
      </dd>
    </>
  );
}

/** Each step from list prices to the total; the steps add up to the total. What the server adds to one is Russian. */
function Explanation({ calculation }: { calculation: Priced }) {
  return (
    <details className={s.why}>
      <summary>{t.why}</summary>
      <ol className={s.steps}>
        {calculation.explanation.map((step) => (
          <li key={step.code} className={s.step}>
            <StepLabel code={step.code} russian={step.label} />
            <Money value={step.amount} />
            {step.note ? <small lang="ru">{step.note}</small> : null}
          </li>
        ))}
        <li className={s.step}>
          <span>{t.total}</span>
          <Money value={calculation.total_paid} />
        </li>
      </ol>
    </details>
  );
}

function StepLabel({ code, russian }: { code: string; russian: string }) {
  const label = t.step(code, russian);
  return <span lang={label === russian ? 'ru' : undefined}>{label}</span>;
}

function TotalsSkeleton() {
  return (
    <div className={s.minimum} role="status" aria-label={designTexts.loading}>
      <Skeleton />
      <Skeleton width={70} />
      <Skeleton />
      <Skeleton kind="title" />
    </div>
  );
}

/** How far the basket is from the least sum an order may have. */
export function MinimumOrder({ minimum, missing, sum }: { minimum: number; missing: number; sum: number }) {
  return (
    <div className={s.minimum}>
      {missing > 0 ? (
        <progress className={s.bar} max={minimum} value={Math.min(sum, minimum)} aria-hidden="true" />
      ) : null}
      <p className={s.note} role="status">
        {basketTexts.minimum(formatMoney(minimum))}{' '}
        {missing > 0 ? basketTexts.missing(formatMoney(missing)) : null}
      </p>
    </div>
  );
}

export function Note({ children }: { children: ReactNode }) {
  return <p className={s.note}>{children}</p>;
}
