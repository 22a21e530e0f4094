import { useId } from 'react';
import { ButtonLink } from '../../../kit/design/button';
import { Link } from '../../../kit/design/link';
import type { Order } from '../../api/types';
import { formatDate } from '../../design/format';
import { Money } from '../../design/money';
import { Picture } from '../../design/picture';
import { orderTexts } from '../../texts/order';
import s from './order-card.module.css';
import { OrderStatus } from './order-status';
import { RepeatOrder } from './repeat-order';

const t = orderTexts;

/** An order in the list of one's orders. */
export function OrderCard({ order }: { order: Order }) {
  const id = useId();
  return (
    <article className={s.card} aria-labelledby={id}>
      <header className={s.head}>
        <h2 id={id}>{t.number(order.number)}</h2>
        <OrderStatus status={order.status} />
      </header>
      <dl className={s.facts}>
        <div>
          <dt>{t.date}</dt>
          <dd>
            <time dateTime={order.created_at}>{formatDate(order.created_at)}</time>
          </dd>
        </div>
        <div>
          <dt>{t.paid}</dt>
          <dd>{order.is_paid ? t.yes : t.no}</dd>
        </div>
        <div>
          <dt>{t.total}</dt>
          <dd>
            <Money value={order.total_paid} />
          </dd>
        </div>
      </dl>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <ul className={s.slides} aria-label={t.products(order.number)} tabIndex={0}>
        {order.products_amount.map(({ amount, product }) => (
          <li key={product.id}>
            <Picture
              className={s.picture}
              picture={product.picture}
              src={product.main_image}
              alt=""
              sizes="200px"
            />
            <Link to={`/product/${product.link}`} lang="ru">
              {product.name}
            </Link>
            <small>{t.pieces(amount)}</small>
          </li>
        ))}
      </ul>
      <div className={s.actions}>
        <ButtonLink kind="soft" to={`/account/order/${order.id}`} aria-label={t.moreOf(order.number)}>
          {t.more}
        </ButtonLink>
        <RepeatOrder order={order} />
      </div>
    </article>
  );
}
