import type { Order } from '../../api/types';
import { statusTexts } from '../../texts/order';
import s from './order-status.module.css';

/** How an order stands, in a word. */
export function OrderStatus({ status }: { status: Order['status'] }) {
  return (
    <span className={s.status} data-status={status}>
      {statusTexts[status]}
    </span>
  );
}
