import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answer } from '../../../kit/api/answer';
import { Link } from '../../../kit/design/link';
import { useNavigate, useSearchParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import f from '../../parts/field.module.css';
import { count, money } from '../../parts/format';
import { Action, Head, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { Find } from '../parts';
import { screenTexts } from '../texts/ru';
import s from './list.module.css';
import { orderListWords as w } from './texts/ru';

type OrderSearch = components['schemas']['OrderSearch'];
type OrderRow = components['schemas']['OrderRow'];

const ordersOf = (asked: OrderSearch) =>
  queryOptions({
    queryKey: ['orders', asked],
    queryFn: ({ signal }) => answer(api.POST('/api/staff/orders/search/', { body: asked, signal })),
    placeholderData: keepPreviousData,
  });

/** How many orders a page of the list has. */
const page = 50;

/** Every order, without whom it is for; each row leads to the order's past. */
export function Orders() {
  const navigate = useNavigate();
  const [address, setAddress] = useSearchParams();
  // Words may be a phone or a name, which stand in no address.
  const [query, setQuery] = useState('');
  const text = (name: string) => address.get(name) ?? '';
  const offset = Math.max(0, Number(text('offset')) || 0);
  const found = useQuery(ordersOf(searchOf(address, query)));
  const narrow = (name: string, value: string) => {
    const next = new URLSearchParams(address);
    next.delete('offset');
    if (value) next.set(name, value);
    else next.delete(name);
    setAddress(next, { replace: true });
  };
  const select = (name: string, label: string, options: [string, string][]) => (
    <label className={f.field}>
      {label}
      <select value={text(name)} onChange={({ target }) => narrow(name, target.value)}>
        {options.map(([key, said]) => (
          <option key={key} value={key}>
            {said}
          </option>
        ))}
      </select>
    </label>
  );
  const typed = (name: string, label: string, type = 'text') => (
    <label className={f.field}>
      {label}
      <input
        key={text(name)}
        type={type}
        defaultValue={text(name)}
        onBlur={({ target }) => target.value !== text(name) && narrow(name, target.value.trim())}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && narrow(name, currentTarget.value.trim())}
      />
    </label>
  );
  return (
    <>
      <Head title={screenTexts.orders} lead={w.lead} />
      <Find
        label={w.query}
        button={w.find}
        value={query}
        find={(asked) => {
          const number = asked.replace(/[\s№#]/g, '');
          if (/^\d+$/.test(number)) return navigate(`/analytics/orders/${number}`);
          narrow('offset', '');
          setQuery(asked);
        }}
      />
      {query ? <Action onClick={() => setQuery('')}>{w.all}</Action> : null}
      <div className={s.narrow}>
        {select('status', w.status, [['', w.any], ...Object.entries(w.statuses)])}
        {select('payment', w.method, [['', w.any], ...Object.entries(w.methods)])}
        {typed('city', w.city)}
        {typed('from', w.from, 'date')}
        {typed('to', w.to, 'date')}
        {select('sort', w.sort, [
          ['', w.newest],
          ['oldest', w.oldest],
          ['dearest', w.dearest],
        ])}
      </div>
      <Loaded query={found} what={w.what} loading={<Loading rows={8} height={56} />}>
        {(orders) => (
          <>
            <p role="status">{w.found(count(orders.count), orders.more)}</p>
            <Table
              caption={screenTexts.orders}
              columns={columns()}
              rows={orders.results}
              rowKey={({ id }) => id}
              empty={<Nothing title={w.none}>{w.noneWhy}</Nothing>}
              cards
            />
            {offset > 0 || offset + orders.results.length < orders.count || orders.more ? (
              <nav className={s.pages} aria-label={w.pages}>
                <Action
                  disabled={offset === 0}
                  onClick={() => narrow('offset', String(Math.max(0, offset - page) || ''))}
                >
                  {w.earlier}
                </Action>
                <Action
                  disabled={orders.results.length < page}
                  onClick={() => narrow('offset', String(offset + page))}
                >
                  {w.later}
                </Action>
              </nav>
            ) : null}
          </>
        )}
      </Loaded>
    </>
  );
}

/** What an address asks for. */
function searchOf(address: URLSearchParams, query: string): OrderSearch {
  const text = (name: string) => address.get(name) ?? '';
  const status = text('status');
  return {
    query,
    statuses: status ? [status as OrderRow['status']] : [],
    payment_method: text('payment') as OrderSearch['payment_method'],
    city: text('city'),
    placed_from: text('from'),
    placed_to: text('to'),
    sort: text('sort') as OrderSearch['sort'],
    limit: page,
    offset: Math.max(0, Number(text('offset')) || 0),
  };
}

const columns = (): Column<OrderRow>[] => [
  {
    key: 'number',
    title: w.number,
    head: true,
    cell: ({ number }) => (
      <Link className={t.link} to={`/analytics/orders/${number}`}>
        {number}
      </Link>
    ),
  },
  { key: 'status', title: w.status, cell: ({ status }) => w.statuses[status] },
  {
    key: 'method',
    title: w.method,
    cell: ({ payment_method }) => w.methods[payment_method as keyof typeof w.methods] ?? payment_method,
  },
  {
    key: 'city',
    title: w.city,
    cell: ({ delivery_type, city }) => (delivery_type === 'PICKUP' ? w.pickup : city),
  },
  { key: 'goods', title: w.goods, number: true, cell: ({ pieces }) => count(pieces) },
  { key: 'sum', title: w.sum, number: true, cell: ({ total_paid }) => money(total_paid) },
  { key: 'placed', title: w.placed, cell: ({ created_at }) => <Moment at={created_at} /> },
];
