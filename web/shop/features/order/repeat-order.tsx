import { useMutation } from '@tanstack/react-query';
import { isTransient } from '../../../kit/api/problem';
import { Button, ButtonLink } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import type { Order } from '../../api/types';
import { repeatTexts } from '../../texts/order';
import { basket } from '../basket/basket-store';
import { productQueries } from '../product/product-queries';
import s from './repeat-order.module.css';

const t = repeatTexts;

/** A line of an order, and how many of its pieces are in the basket now. */
type Repeated = { name: string; wanted: number; count: number };

/**
 * Puts into the basket what an order had, as far as it can still be bought, at today's price, and says what cannot.
 * Pieces that are in the basket already count: asking twice does not double anything.
 */
export function RepeatOrder({ order }: { order: Pick<Order, 'number' | 'products_amount'> }) {
  const repeat = useMutation({
    mutationFn: (lines: Order['products_amount'], { client }) =>
      Promise.all(
        lines.map(async ({ amount, product }): Promise<Repeated> => {
          const line = { name: product.name, wanted: amount };
          try {
            const found = await client.query({
              ...productQueries.detail(product.id),
              staleTime: 0,
              retry: false,
            });
            return { ...line, count: found.in_stock ? basket.fill(found, amount) : 0 };
          } catch (error) {
            if (isTransient(error)) throw error;
            return { ...line, count: 0 };
          }
        }),
      ),
  });
  return (
    <div className={s.repeat}>
      <Button
        kind="line"
        aria-label={t.repeatOf(order.number)}
        disabled={repeat.isPending}
        onClick={() => repeat.mutate(order.products_amount)}
      >
        {repeat.isPending ? t.adding : t.repeat}
      </Button>
      <FormError>{repeat.isError ? t.failed : ''}</FormError>
      <div role="status">{repeat.data ? <Outcome lines={repeat.data} /> : null}</div>
    </div>
  );
}

function Outcome({ lines }: { lines: Repeated[] }) {
  const short = lines.filter(({ wanted, count }) => count < wanted);
  const any = lines.some(({ count }) => count > 0);
  return (
    <>
      <p>{short.length === 0 ? t.added : any ? t.some : t.none}</p>
      {any && short.length > 0 ? (
        <ul>
          {short.map(({ name, count }) => (
            <li key={name}>{count > 0 ? t.fewer(name, count) : t.gone(name)}</li>
          ))}
        </ul>
      ) : null}
      {any ? (
        <ButtonLink kind="soft" to="/basket">
          {t.toBasket}
        </ButtonLink>
      ) : null}
    </>
  );
}
