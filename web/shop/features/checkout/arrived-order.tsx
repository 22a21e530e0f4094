import { useEffect, useRef } from 'react';
import { Button } from '../../../kit/design/button';
import type { OrderCreated } from '../../api/types';
import { checkoutTexts } from '../../texts/checkout';
import { useLeave } from './checkout-commands';
import s from './unanswered-order.module.css';

const t = checkoutTexts;

/** Stands in the place of the form when the order had arrived before the shopper changed it. */
export function ArrivedOrder({ order }: { order: OrderCreated }) {
  const leave = useLeave();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className={s.panel} aria-labelledby="arrived-title">
      <h2 id="arrived-title" ref={heading} tabIndex={-1}>
        {t.arrived(order.number)}
      </h2>
      <p>{t.arrivedText}</p>
      <div className={s.row}>
        <Button onClick={() => leave(order)}>{order.payment_url ? t.arrivedPay : t.arrivedDone}</Button>
      </div>
    </section>
  );
}
