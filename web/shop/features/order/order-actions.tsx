import { useId, useState } from 'react';
import { Button } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import type { OrderDetail } from '../../api/types';
import { Confirm } from '../../design/confirm';
import { formatMoney } from '../../design/format';
import { orderTexts } from '../../texts/order';
import { sentence } from '../form/refusal';
import { useCancelOrder, usePayOrder } from './order-commands';
import s from './order-view.module.css';

const t = orderTexts;

/** What its customer can still do about an order: pay, again after a payment that failed, or give it up. */
export function OrderActions({ order, letterKey }: { order: OrderDetail; letterKey?: string }) {
  const id = useId();
  const [asking, setAsking] = useState(false);
  const cancel = useCancelOrder();
  const pay = usePayOrder();
  const open = order.status === 'RECEIVED' || order.status === 'PAYMENT_ERR';
  // After the shop changed the lines, the difference can be paid until the order is completed.
  const difference =
    (order.status === 'APPROVED' || order.status === 'PROCESSING') && order.lacks > 0 && !order.is_paid;
  const payable = ((open && !order.is_paid) || difference) && order.payment_method !== 'CASH';
  // A part may be paid already.
  const rest = difference || (order.lacks > 0 && order.lacks < order.total_paid);
  const failure = pay.error ?? cancel.error;
  const of = { id: order.id, key: letterKey };
  return (
    <div className={s.actions} id="pay">
      {payable ? (
        <Button disabled={pay.isPending || pay.isSuccess} onClick={() => pay.mutate(of)}>
          {rest ? t.payLacks(formatMoney(order.lacks)) : order.status === 'PAYMENT_ERR' ? t.payAgain : t.pay}
        </Button>
      ) : null}
      {open ? (
        <Button
          kind="line"
          aria-haspopup="dialog"
          disabled={cancel.isPending}
          onClick={() => setAsking(true)}
        >
          {t.cancel}
        </Button>
      ) : null}
      {failure ? <FormError>{sentence(failure)}</FormError> : null}
      <Confirm
        id={id}
        open={asking}
        title={t.cancelTitle(order.number)}
        text={order.is_paid ? t.cancelPaidText : t.cancelText}
        no={t.keep}
        yes={t.cancel}
        onClose={(agreed) => {
          setAsking(false);
          if (agreed) cancel.mutate(of);
        }}
      />
    </div>
  );
}
