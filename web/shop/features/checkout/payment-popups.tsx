import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { isTransient } from '../../../kit/api/problem';
import { Button, ButtonLink } from '../../../kit/design/button';
import { classes } from '../../../kit/design/classes';
import { Dialog } from '../../../kit/design/dialog';
import { FormError } from '../../../kit/design/field';
import { Icon } from '../../../kit/design/icon';
import { useLocation, useNavigate } from '../../../kit/router/router';
import { forgetDraft } from '../../api/draft';
import { popupsTexts } from '../../texts/order';
import { basket } from '../basket/basket-store';
import { contentQueries } from '../content/content-queries';
import { sentence } from '../form/refusal';
import { usePayOrder } from '../order/order-commands';
import { type UnpaidOrder, unpaidOrder } from '../order/unpaid-order';
import s from './payment-popups.module.css';

const t = popupsTexts;

/**
 * The way to another try: the order that was refused is paid again, so that there is no second one. Where it is not
 * known, as in another tab, or can no longer be paid, the way leads through checkout.
 */
function Retry() {
  const [order] = useState(unpaidOrder.get);
  const navigate = useNavigate();
  const pay = usePayOrder();
  const again = (unpaid: UnpaidOrder) =>
    pay.mutate(unpaid, {
      onSuccess: ({ payment_url }) => payment_url || navigate('/#success_popup'),
      onError: (error) => isTransient(error) || unpaidOrder.forget(),
    });
  const over = pay.error !== null && !isTransient(pay.error);
  return (
    <>
      <FormError>{pay.error ? sentence(pay.error) : ''}</FormError>
      {order && !over ? (
        <Button data-first disabled={pay.isPending || pay.isSuccess} onClick={() => again(order)}>
          {t.errorPay(order.number)}
        </Button>
      ) : (
        <ButtonLink data-first to="/checkout">
          {t.errorRetry}
        </ButtonLink>
      )}
    </>
  );
}

/** What the shopper reads on coming back from checkout or from the bank, told by the hash of the address. */
export default function PaymentPopups() {
  const id = useId();
  const { hash, pathname, search } = useLocation();
  const navigate = useNavigate();
  const success = hash === '#success_popup';
  const error = hash === '#error_popup';
  const shop = useQuery(contentQueries.shop()).data;
  useEffect(() => {
    if (!success) return;
    basket.clear();
    forgetDraft();
    unpaidOrder.forget();
  }, [success]);
  // Closing takes the hash out of the address, so that a reload does not show the popup again. A dialog also closes
  // when the address moves on by itself; then there is nothing left to take out.
  const closing = (shown: boolean) => () => {
    if (shown) navigate(pathname + search, { replace: true });
  };
  return (
    <>
      <Dialog open={success} onClose={closing(success)} labelledBy={`${id}-success`}>
        <div className={s.popup}>
          <span className={s.mark}>
            <Icon name="check" size={28} />
          </span>
          <h2 id={`${id}-success`}>{t.successTitle}</h2>
          <p>{t.successText}</p>
          <Button onClick={closing(success)}>{t.successClose}</Button>
        </div>
      </Dialog>
      <Dialog open={error} onClose={closing(error)} labelledBy={`${id}-error`}>
        <div className={s.popup}>
          <span className={classes(s.mark, s.error)}>
            <Icon name="alert" size={28} />
          </span>
          <h2 id={`${id}-error`}>{t.errorTitle}</h2>
          <p>{t.errorText}</p>
          {shop ? (
            <ul className={s.contacts}>
              <li>
                {t.errorMail} <a href={`mailto:${shop.email}`}>{shop.email}</a>
              </li>
              {shop.social_url ? (
                <li>
                  {t.errorSocial} <a href={shop.social_url}>{shop.social_name}</a>
                </li>
              ) : null}
            </ul>
          ) : null}
          <div className={s.ways}>
            <Retry />
            <Button kind="line" onClick={closing(error)}>
              {t.close}
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  );
}
