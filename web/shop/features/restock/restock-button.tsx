import { useQuery } from '@tanstack/react-query';
import { Problem } from '../../../kit/api/problem';
import { Button } from '../../../kit/design/button';
import { langOf, serverMessage } from '../../../kit/design/message';
import { useSession } from '../../api/session';
import type { ProductCard } from '../../api/types';
import { restockTexts } from '../../texts/restock';
import s from './restock-button.module.css';
import { restockQueries, useSubscribe } from './restock-queries';

const t = restockTexts;

/** Puts a customer on the waiting list of a product that is out of stock. For those on the list the button is disabled and says so. */
export default function RestockButton({ product, page }: { product: ProductCard; page: boolean }) {
  const waits = useQuery(restockQueries.waits(useSession())).data;
  const subscribe = useSubscribe(product.id);
  const refused = subscribe.error instanceof Problem && subscribe.error.status < 500;
  const reason = refused ? (subscribe.error as Problem).detail : undefined;
  const waiting = product.is_subscribed || Boolean(waits?.includes(product.id));
  const over = subscribe.isSuccess || refused || waiting;
  const said = subscribe.isSuccess
    ? t.subscribed
    : refused
      ? reason || t.already
      : waiting
        ? t.already
        : page
          ? t.subscribe
          : t.notify;
  return (
    <div className={s.restock}>
      <Button
        kind={page ? 'primary' : 'soft'}
        className={s.button}
        aria-disabled={over || subscribe.isPending}
        aria-label={over || page ? undefined : t.notifyOf(product.name)}
        onClick={() => {
          if (!over && !subscribe.isPending) subscribe.mutate();
        }}
      >
        <span aria-live="polite" lang={reason && langOf(serverMessage(reason))}>
          {said}
        </span>
      </Button>
      <p role="alert">{subscribe.isError && !refused ? t.failed : ''}</p>
    </div>
  );
}
