import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import x from '../../../kit/design/text.module.css';
import { useSearchParams } from '../../../kit/router/router';
import { csvOf } from '../../../kit/table/rows';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { useMay, useMe } from '../../me';
import { count, money } from '../../parts/format';
import { Head, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { save } from '../../parts/save';
import { StepUpNote } from '../../parts/step-up-note';
import { type Changed, type OrderRow, queries } from '../api/queries';
import { AsOf, asked, Now, type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { Pages } from '../desk/pages';
import { officeTexts, orderListTexts as w } from '../texts/ru';
import { searchOf } from './address';
import { Bulk, Results } from './bulk';
import { Filters } from './filters';
import s from './orders.module.css';
import { SavedLists } from './saved';
import { Status } from './status';

/** Every order, narrowed by what stands in the address, and what may be done to many of them at once. */
export function Orders() {
  const [address, setAddress] = useSearchParams();
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<ReadonlyMap<string, OrderRow>>(new Map());
  const [results, setResults] = useState<Changed[]>();
  const client = useQueryClient();
  const me = useMe();
  const at = useAt();
  const then = useThen();
  const found = useQuery(queries.orders(searchOf(address, query, me.id), at));
  const narrow = (name: string, value: string) => {
    const next = new URLSearchParams(address);
    next.delete('offset');
    if (value) next.set(name, value);
    else next.delete(name);
    setAddress(next, { replace: true });
    setChosen(new Map());
  };
  const offset = Number(address.get('offset')) || 0;
  return (
    <>
      <Head title={w.title}>
        <SavedLists
          address={address}
          open={(saved) => setAddress({ ...Object.fromEntries(saved), ...asked(at) })}
        />
      </Head>
      <AsOf />
      <Filters
        address={address}
        narrow={narrow}
        query={query}
        find={setQuery}
        reset={() => setAddress(asked(at))}
      />
      {at ? <p className={d.quiet}>{w.searchedNow}</p> : null}
      <Results results={results} dismiss={() => setResults(undefined)} />
      <Loaded query={found} what={w.what} loading={<Loading rows={8} height={64} />}>
        {(orders) => (
          <>
            {orders.step_up ? (
              <StepUpNote shown={() => client.invalidateQueries({ queryKey: ['office'] })} />
            ) : null}
            <p className={s.count} role="status">
              {w.found(orders.count, orders.more)}
            </p>
            <Now>
              <Bulk
                chosen={[...chosen.values()]}
                clear={() => setChosen(new Map())}
                told={async (changed) => {
                  setResults(changed);
                  setChosen(new Map());
                  await client.invalidateQueries({ queryKey: ['office'] });
                }}
                take={(rows) => save('orders.csv', csvOf(columns(then), rows), 'text/csv')}
              />
            </Now>
            <Table
              caption={w.title}
              columns={[...(at ? [] : [selection(orders.results, chosen, setChosen)]), ...columns(then)]}
              rows={orders.results}
              rowKey={({ id }) => id}
              empty={<Nothing title={w.none}>{w.noneWhy}</Nothing>}
              cards
            />
            <Pages
              label={w.title}
              offset={offset}
              shown={orders.results.length}
              all={orders.more ? undefined : orders.count}
              turn={(to) => narrowTo(address, to, setAddress)}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

function narrowTo(address: URLSearchParams, offset: number, set: (next: URLSearchParams) => void) {
  const next = new URLSearchParams(address);
  if (offset > 0) next.set('offset', String(offset));
  else next.delete('offset');
  set(next);
  scrollTo(0, 0);
}

/** The column of boxes. Its head chooses the whole page. */
function selection(
  rows: OrderRow[],
  chosen: ReadonlyMap<string, OrderRow>,
  choose: (next: ReadonlyMap<string, OrderRow>) => void,
): Column<OrderRow> {
  const all = rows.length > 0 && rows.every(({ id }) => chosen.has(id));
  return {
    key: 'select',
    title: w.selectAll,
    actions: true,
    className: s.select,
    headCell: (
      <label className={s.box}>
        <input
          type="checkbox"
          checked={all}
          onChange={() => choose(all ? new Map() : new Map(rows.map((row) => [row.id, row])))}
        />
        <span className={x.hidden}>{w.selectAll}</span>
      </label>
    ),
    cell: (row) => (
      <label className={s.box}>
        <input
          type="checkbox"
          checked={chosen.has(row.id)}
          onChange={() => {
            const next = new Map(chosen);
            if (!next.delete(row.id)) next.set(row.id, row);
            choose(next);
          }}
        />
        <span className={x.hidden}>{w.select(row.number)}</span>
      </label>
    ),
  };
}

const columns = (then: Then): Column<OrderRow>[] => [
  {
    key: 'number',
    title: w.number,
    head: true,
    value: ({ number }) => number,
    cell: ({ number, tags }) => (
      <>
        <Link className={t.link} to={then(`/admin/orders/${number}`)}>
          {number}
        </Link>
        {tags.length > 0 ? <span className={t.sub}>{tags.join(', ')}</span> : null}
      </>
    ),
  },
  {
    key: 'status',
    title: w.status,
    value: ({ status }) => officeTexts.statuses[status],
    cell: ({ status, is_paid, payment_method }) => (
      <div>
        <Status status={status} />
        <span className={t.sub}>
          {officeTexts.methods[payment_method as keyof typeof officeTexts.methods]}
          {' · '}
          {(is_paid ? w.paid : w.unpaid).toLowerCase()}
        </span>
      </div>
    ),
  },
  {
    key: 'customer',
    title: w.customer,
    value: ({ name, phone }) => `${name} ${phone}`.trim(),
    cell: ({ name, phone }) => (
      <div>
        {name || <span className={t.sub}>{w.erased}</span>}
        <span className={t.sub}>{phone}</span>
      </div>
    ),
  },
  {
    key: 'delivery',
    title: w.delivery,
    value: ({ delivery_type, city, street }) =>
      delivery_type === 'PICKUP' ? officeTexts.deliveries.PICKUP : `${city}, ${street}`,
    cell: ({ delivery_type, city, street, delivery_date }) => (
      <div>
        {delivery_type === 'PICKUP' ? officeTexts.deliveries.PICKUP : city}
        <span className={t.sub}>
          {[delivery_type === 'PICKUP' ? '' : street, day(delivery_date)].filter(Boolean).join(' · ')}
        </span>
      </div>
    ),
  },
  {
    key: 'goods',
    title: w.goods,
    number: true,
    value: ({ pieces }) => pieces,
    cell: ({ pieces }) => count(pieces),
  },
  {
    key: 'sum',
    title: w.sum,
    number: true,
    value: ({ total_paid }) => total_paid,
    cell: ({ total_paid, owed }) => (
      <>
        {money(total_paid)}
        {owed > 0 ? <span className={s.owed}>{w.owed(money(owed))}</span> : null}
      </>
    ),
  },
  {
    key: 'placed',
    title: w.placed,
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
];

/** A promised day as people write it: 24.11. */
export const day = (date: string | null) => (date ? `${date.slice(8, 10)}.${date.slice(5, 7)}` : '');

/** Whether one may do anything to orders at all. */
export const useMayWork = () => [useMay('orders.change'), useMay('orders.pack')] as const;
