import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ButtonLink } from '../../kit/design/button';
import { useSession } from '../api/session';
import { Empty, LoadError, Skeleton } from '../design/state';
import { AccountPage } from '../features/customer/account-page';
import { OrderCard } from '../features/order/order-card';
import { orderQueries } from '../features/order/order-queries';
import { accountTexts } from '../texts/account';
import { orderTexts } from '../texts/order';
import s from './account-orders.module.css';

const t = orderTexts;

export default function AccountOrdersPage() {
  const [active, setActive] = useState(false);
  const filters = [
    { active: false, text: t.all },
    { active: true, text: t.active },
  ];
  return (
    <AccountPage title={accountTexts.orders}>
      <fieldset className={s.filter} aria-label={t.filter}>
        {filters.map((filter) => (
          <button
            key={filter.text}
            type="button"
            aria-pressed={active === filter.active}
            onClick={() => setActive(filter.active)}
          >
            {filter.text}
          </button>
        ))}
      </fieldset>
      <Orders active={active} />
    </AccountPage>
  );
}

function Orders({ active }: { active: boolean }) {
  const orders = useQuery(orderQueries.list(useSession(), active));
  if (orders.isError && !orders.data) return <LoadError retry={() => orders.refetch()} />;
  if (!orders.data) return <Skeleton kind="tile" />;
  if (orders.data.length === 0) {
    return (
      <Empty icon="truck" text={active ? t.emptyActive : t.empty}>
        <ButtonLink to="/categories">{t.toCatalog}</ButtonLink>
      </Empty>
    );
  }
  return orders.data.map((order) => <OrderCard key={order.id} order={order} />);
}
