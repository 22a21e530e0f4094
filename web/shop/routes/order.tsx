import { useLocation, useParams } from 'react-router';
import { Link } from '../../kit/design/link';
import { useSession } from '../api/session';
import { Heading, Page } from '../design/layout';
import { Title } from '../design/title';
import { shopName } from '../features/content/shop-name';
import { LoadedOrder } from '../features/order/loaded-order';
import { orderTexts } from '../texts/order';
import { NotFound } from './not-found';
import s from './order.module.css';

const t = orderTexts;

/** A guest's order, by the link of its letter: whoever has the link needs no account. */
export default function OrderPage() {
  const { id = '' } = useParams();
  const key = new URLSearchParams(useLocation().search).get('key') ?? '';
  const guest = useSession() === null;
  return (
    <LoadedOrder id={id} letterKey={key} missing={<NotFound />}>
      {(number, order) => (
        <Page>
          <Title text={`${number ? t.number(number) : t.title} — ${shopName()}`} />
          <Heading title={number ? t.number(number) : t.title} />
          {order}
          {guest && number ? (
            <p className={s.note}>
              {t.guestNote} <Link to="/registration?next=%2Faccount%2Forders">{t.guestLink}</Link>
            </p>
          ) : null}
        </Page>
      )}
    </LoadedOrder>
  );
}
