import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import { useSearchParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { dayOf } from '../../parts/format';
import { Action, Head, Loaded, Loading, Nothing, Section } from '../../parts/parts';
import { AsOf, Now, useAt, useThen } from '../desk/as-of';
import { Check } from './check';
import s from './parcels.module.css';
import { dayAsked, type Parcel, papers, parcelQueries, shelve } from './queries';
import { pickList } from './scan';
import { parcelTexts as w } from './texts/ru';

const cityOf = ({ delivery_type, city }: Parcel) => (delivery_type === 'PICKUP' ? '' : city);

/** What is to be packed for a day: by city, as a list to pick by, and one order at a time with the scanner. */
export function Packing() {
  const [address, setAddress] = useSearchParams();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const at = useAt();
  const then = useThen();
  const day = dayAsked(address.get('day'), at);
  const city = address.get('city');
  const open = Number(address.get('order')) || 0;
  const found = useQuery(parcelQueries.packing(day, at));
  const narrow = (name: string, value: string | null) => {
    const next = new URLSearchParams(address);
    if (value === null) next.delete(name);
    else next.set(name, value);
    setAddress(next, { replace: true });
    if (name !== 'order') setChosen(new Set());
  };
  return (
    <>
      <Head title={w.packing} />
      <AsOf />
      <Loaded query={found} what={w.what} loading={<Loading rows={5} height={72} />}>
        {({ day: shownDay, orders }) => {
          const one = at ? undefined : orders.find(({ number }) => number === open);
          if (one) return <Check key={one.id} order={one} close={() => narrow('order', null)} />;
          const cities = [...new Set(orders.map(cityOf))].sort();
          const shown = orders.filter((order) => city === null || cityOf(order) === city);
          const picked = shown.filter(({ number }) => chosen.has(number));
          return (
            <>
              <div className={s.bar}>
                <label className={f.field}>
                  {w.day}
                  <input
                    type="date"
                    value={shownDay}
                    onChange={({ target }) => narrow('day', target.value || null)}
                  />
                </label>
                <label className={f.field}>
                  {w.city}
                  <select
                    value={city ?? '*'}
                    onChange={({ target }) => narrow('city', target.value === '*' ? null : target.value)}
                  >
                    <option value="*">{w.anyCity}</option>
                    {cities.map((name) => (
                      <option key={name} value={name}>
                        {name || w.pickup} ({orders.filter((order) => cityOf(order) === name).length})
                      </option>
                    ))}
                  </select>
                </label>
                <Now>
                  <Action
                    onClick={() => setChosen(new Set(shown.map(({ number }) => number)))}
                    disabled={shown.length === 0}
                  >
                    {w.chooseAll}
                  </Action>
                </Now>
              </div>
              {shown.length === 0 ? <Nothing title={w.none}>{w.noneWhy}</Nothing> : null}
              {picked.length > 0 && !at ? <Chosen orders={picked} /> : null}
              <ul className={s.list}>
                {shown.map((order) => (
                  <li key={order.id} className={s.card}>
                    <div className={s.row}>
                      <Now>
                        <input
                          type="checkbox"
                          aria-label={w.choose(order.number)}
                          checked={chosen.has(order.number)}
                          onChange={({ target }) => {
                            const next = new Set(chosen);
                            if (target.checked) next.add(order.number);
                            else next.delete(order.number);
                            setChosen(next);
                          }}
                        />
                      </Now>
                      <b>
                        <Link to={then(`/admin/orders/${order.number}`)}>{order.number}</Link>
                      </b>
                      <span className={s.muted}>
                        {[
                          order.day && dayOf(Date.parse(order.day)),
                          cityOf(order) || w.pickup,
                          order.not_delivered ? `${w.back}: ${w.reasons[order.not_delivered]}` : '',
                        ]
                          .filter(Boolean)
                          .join(' · ')}
                      </span>
                      {order.packed_at ? (
                        <span>{w.packed} ✓</span>
                      ) : at ? null : (
                        <Action
                          kind="strong"
                          aria-label={`${w.toPack}: ${w.order(order.number)}`}
                          onClick={() => narrow('order', String(order.number))}
                        >
                          {w.toPack}
                        </Action>
                      )}
                    </div>
                    <p className={s.muted}>
                      {order.lines.map(({ name, amount }) => `${name} × ${amount}`).join('; ')}
                    </p>
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** What is printed of the chosen orders, and the way through the warehouse for all of them. */
function Chosen({ orders }: { orders: Parcel[] }) {
  const numbers = orders.map(({ number }) => number);
  return (
    <Section title={`${w.pickList} · ${w.count(orders.length)}`}>
      <p className={s.muted}>{w.pickListWhy}</p>
      <div className={s.papers}>
        <Action onClick={() => print()}>{w.print}</Action>
        <a href={papers('slips', 'a4', numbers)} target="_blank" rel="noreferrer">
          {w.slips}
        </a>
        <a href={papers('slips', '80mm', numbers)} target="_blank" rel="noreferrer">
          {w.slips80}
        </a>
        <a href={papers('invoices', 'a4', numbers)} target="_blank" rel="noreferrer">
          {w.invoices}
        </a>
        <a href={papers('invoices', '80mm', numbers)} target="_blank" rel="noreferrer">
          {w.invoices80}
        </a>
        <a href={papers('labels', 'a4', numbers)} target="_blank" rel="noreferrer">
          {w.labels}
        </a>
      </div>
      <Table
        caption={w.pickList}
        columns={picking()}
        rows={pickList(orders)}
        rowKey={({ article }) => article}
        className={s.pick}
      />
    </Section>
  );
}

const picking = (): Column<ReturnType<typeof pickList>[number]>[] => [
  { key: 'shelf', title: w.shelf, cell: (pick) => <Shelf {...pick} /> },
  { key: 'goods', title: w.goods, cell: ({ article, name }) => `${article} ${name}` },
  { key: 'amount', title: w.amount, number: true, cell: ({ amount }) => amount },
  { key: 'orders', title: w.inOrders, cell: ({ orders }) => orders.join(', ') },
];

/** Where a product is, changed in place. */
function Shelf({ product_id, article, shelf }: Parcel['lines'][number]) {
  const client = useQueryClient();
  const [typed, setTyped] = useState(shelf);
  const [failed, setFailed] = useState('');
  const keep = async () => {
    if (typed.trim() === shelf) return;
    try {
      await shelve(product_id, typed);
      setFailed('');
      await client.invalidateQueries({ queryKey: ['office', 'packing'] });
    } catch (error) {
      setFailed(words(error));
    }
  };
  return (
    <>
      <input
        aria-label={w.shelfOf(article)}
        value={typed}
        maxLength={20}
        aria-invalid={failed !== ''}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={keep}
        onKeyDown={({ key }) => key === 'Enter' && keep()}
      />
      <span role="alert">{failed}</span>
    </>
  );
}
