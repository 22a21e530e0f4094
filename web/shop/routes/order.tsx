import { useEffect } from 'react';
import { Link } from '../../kit/design/link';
import { useLocation, useNavigate, useParams } from '../../kit/router/router';
import { useSession } from '../api/session';
import { useHydrated } from '../design/hydrated';
import { Heading, Page } from '../design/layout';
import { Skeleton } from '../design/state';
import { Title } from '../design/title';
import { shopName } from '../features/content/shop-name';
import { LoadedOrder } from '../features/order/loaded-order';
import { orderTexts } from '../texts/order';
import { NotFound } from './not-found';
import s from './order.module.css';

const t = orderTexts;

/**
 * A guest's order, by the link of its letter: whoever has the link needs no account. Its key stands behind the #, so that no
 * server's log has it; letters of before had it in the query, from where it moves.
 */
export default function OrderPage() {
  const { id = '' } = useParams();
  const { pathname, search, hash } = useLocation();
  const navigate = useNavigate();
  const hydrated = useHydrated();
  const old = new URLSearchParams(search).get('key');
  useEffect(() => {
    if (old) navigate(`${pathname}#${old}${hash === '#pay' ? '&pay' : ''}`, { replace: true });
  }, [old, pathname, hash, navigate]);
  const [key = '', place] = old ? [old] : hash.slice(1).split('&');
  const guest = useSession() === null;
  if (!hydrated) {
    return (
      <Page>
        <Skeleton kind="tile" />
      </Page>
    );
  }
  return (
    <LoadedOrder id={id} letterKey={key} missing={<NotFound />}>
      {(number, order) => (
        <Page>
          <Title text={`${number ? t.number(number) : t.title} — ${shopName()}`} />
          <Heading title={number ? t.number(number) : t.title} />
          {order}
          {number && place === 'pay' ? <AtPayment /> : null}
          {guest && number ? (
            <p className={s.note}>
              {t.guestNote} <Link to="/registration?next=%2Faccount%2Forders">{t.guestLink}</Link>
            </p>
          ) : null}
          {guest && number ? (
            <p className={s.note}>
              <Link to={`/forget/order/${id}#${key}`}>{t.forget}</Link>
            </p>
          ) : null}
        </Page>
      )}
    </LoadedOrder>
  );
}

/** Brings the button to pay into sight, once the order is there. */
function AtPayment() {
  useEffect(() => document.getElementById('pay')?.scrollIntoView({ block: 'center' }), []);
  return null;
}
