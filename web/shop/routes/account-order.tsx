import { Link } from '../../kit/design/link';
import { useParams } from '../../kit/router/router';
import { AccountPage } from '../features/customer/account-page';
import { LoadedOrder } from '../features/order/loaded-order';
import { orderTexts } from '../texts/order';
import s from './account-order.module.css';
import { NotFound } from './not-found';

const t = orderTexts;

/** One's own order. */
export default function AccountOrderPage() {
  const { id = '' } = useParams();
  return (
    <LoadedOrder id={id} missing={<NotFound />}>
      {(number, order) => (
        <AccountPage title={number ? t.number(number) : t.title}>
          <p className={s.back}>
            <Link to="/account/orders">{t.back}</Link>
          </p>
          {order}
        </AccountPage>
      )}
    </LoadedOrder>
  );
}
