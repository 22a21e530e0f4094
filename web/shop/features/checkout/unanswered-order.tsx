import { useEffect, useRef, useSyncExternalStore } from 'react';
import { isTransient, type Problem } from '../../../kit/api/problem';
import { Button } from '../../../kit/design/button';
import { serverMessage } from '../../../kit/design/message';
import { useNavigate } from '../../../kit/router/router';
import { useShownAgain } from '../../design/use-shown-again';
import { checkoutTexts } from '../../texts/checkout';
import { attempt, type Unanswered } from './checkout-attempt';
import { useIsPlacing, useLeave, usePlaceOrder } from './checkout-commands';
import s from './unanswered-order.module.css';

const t = checkoutTexts;

/**
 * Stands in the place of the form while nobody knows whether the order has arrived: the basket is not priced
 * meanwhile, for the order's own reservation may have taken the last piece. What is sent again is the very same
 * order under the same key. One that was lost on this page goes out by itself when the connection is back.
 */
export function UnansweredOrder({ unanswered }: { unanswered: Unanswered }) {
  const navigate = useNavigate();
  const leave = useLeave();
  const send = usePlaceOrder();
  const isPlacing = useIsPlacing();
  const online = useOnline();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  const again = async () => {
    if (isPlacing()) return;
    try {
      leave(await send.mutateAsync(unanswered.order));
    } catch (error) {
      if (isTransient(error)) return;
      const { detail } = error as Problem;
      const refused = detail ? serverMessage(detail) : t.notPlaced;
      navigate('/checkout', { replace: true, state: { refused } });
    }
  };

  const latest = useRef(again);
  latest.current = again;
  const was = useRef(online);
  useEffect(() => {
    if (online && !was.current && unanswered.here) void latest.current();
    was.current = online;
  }, [online, unanswered.here]);

  // Back from the bank the order is known to be there.
  useShownAgain(() => attempt.settle());

  return (
    <section className={s.panel} aria-labelledby="unanswered-title">
      <h2 id="unanswered-title" ref={heading} tabIndex={-1}>
        {t.failed}
      </h2>
      <p role="status">{!online && unanswered.here ? t.waiting : t.unanswered}</p>
      <div className={s.row}>
        <Button disabled={send.isPending || send.isSuccess} onClick={again}>
          {send.isPending ? t.sending : t.sendAgain}
        </Button>
        <Button kind="line" disabled={send.isPending || send.isSuccess} onClick={() => attempt.change()}>
          {t.toForm}
        </Button>
      </div>
      <p className={s.hint}>{t.toFormHint}</p>
    </section>
  );
}

function subscribe(listener: () => void) {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

/** Whether the browser has a network at all. */
const useOnline = () =>
  useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  );
