import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { Problem } from '../../src/api/problem';
import { Link } from '../../src/design/link';
import { count, counted, exact, moment, money, signed } from '../../staff/parts/format';
import { Mark } from '../../staff/parts/mark';
import { Action, Fact, Facts, Head, Loaded, Moment, Nothing, Scroll, Section } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import { queries } from '../api/queries';
import type { Ledger, Movement, Prices } from '../api/types';
import { Lines } from '../charts/lines';
import { AsItWas, momentOf } from '../moment';
import s from './products.module.css';

export function ProductPage() {
  const { id = '' } = useParams();
  const [address, setAddress] = useSearchParams();
  const at = address.get('at') ?? '';
  const [limit, setLimit] = useState(100);
  const sold = useQuery(queries.product(id)).data;
  const until = momentOf(at);
  const then = Number.isNaN(until) ? '' : new Date(until).toISOString();
  const stock = useQuery(queries.stock(id, then, limit));
  const prices = useQuery(queries.prices(id));
  if (prices.error instanceof Problem && [400, 404].includes(prices.error.status))
    return (
      <>
        <Head title="A product" lead={id} />
        <Nothing title="There is no such product">
          A product is known by its id, a UUID.{' '}
          <Link className={t.link} to="/analytics/products">
            Find one
          </Link>
        </Nothing>
      </>
    );
  return (
    <>
      <Head
        title={sold?.name ?? 'A product'}
        lead={
          sold ? (
            <>
              {sold.article} · {sold.package_size} ·{' '}
              <a className={t.link} href={`/product/${sold.link}`}>
                in the shop
              </a>
            </>
          ) : (
            id
          )
        }
      />
      <Section title="Stock" aside={<AsItWas at={at} show={(at) => setAddress(at ? { at } : {})} />}>
        {at !== '' && then === '' ? (
          <p role="status" className={s.said}>
            {at} is no time. The stock of now is shown.
          </p>
        ) : null}
        <Loaded query={stock} what="The ledger">
          {(ledger) => <Movements ledger={ledger} at={then} all={() => setLimit(1000)} />}
        </Loaded>
      </Section>
      <Section title="Price">
        <Loaded query={prices} what="The prices">
          {(found) => <PriceHistory prices={found.prices} />}
        </Loaded>
      </Section>
    </>
  );
}

function Movements({ ledger, at, all }: { ledger: Ledger; at: string; all: () => void }) {
  const { on_hand, reserved, gap, movements, entries } = ledger;
  if (movements === 0)
    return <Nothing title="No movement yet">{at ? 'Nothing had come or gone by then.' : null}</Nothing>;
  return (
    <>
      <div className={s.sum}>
        <Facts>
          <Fact label={at ? `On hand, ${moment(at)}` : 'On hand'}>{counted(on_hand, 'piece')}</Fact>
          <Fact label="Reserved">{count(reserved)}</Fact>
          <Fact label="Free to order">{count(on_hand - reserved)}</Fact>
          <Fact label={`The sum of ${counted(movements, 'movement')}`}>
            <Mark tone={gap === 0 ? 'good' : 'bad'}>
              {gap === 0 ? 'Adds up, gap 0' : `${counted(gap, 'event')} say otherwise`}
            </Mark>
          </Fact>
        </Facts>
      </div>
      <Scroll label="Movements of stock, newest first">
        <table className={t.table}>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">What</th>
              <th scope="col">Why</th>
              <th scope="col" className={t.number}>
                On hand
              </th>
              <th scope="col" className={t.number}>
                after
              </th>
              <th scope="col" className={t.number}>
                Reserved
              </th>
              <th scope="col" className={t.number}>
                after
              </th>
              <th scope="col">By</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={`${entry.position} ${entry.version}`}>
                <td>
                  <Moment at={entry.recorded_at} />
                </td>
                <td>{entry.kind}</td>
                <td>
                  <Cause of={entry} />
                </td>
                <Moved by={entry.on_hand} />
                <td className={t.number}>{count(entry.on_hand_after)}</td>
                <Moved by={entry.reserved} />
                <td className={t.number}>{count(entry.reserved_after)}</td>
                <td>{entry.actor}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {movements > entries.length ? (
        <p className={s.more}>
          {entries.length < 1000 ? (
            <Action onClick={all}>Show up to 1,000 of {count(movements)}</Action>
          ) : (
            `The newest ${count(entries.length)} of ${count(movements)}. \`shop stock ledger\` tells all.`
          )}
        </p>
      ) : null}
    </>
  );
}

function Moved({ by }: { by: number }) {
  return <td className={by === 0 ? `${t.number} ${s.zero}` : t.number}>{signed(by)}</td>;
}

function Cause({ of: { cause, order_number } }: { of: Movement }) {
  if (order_number !== null)
    return (
      <Link className={t.link} to={`/analytics/orders/${order_number}`}>
        order {order_number}
      </Link>
    );
  return [cause.kind, cause.ref].filter(Boolean).join(' ');
}

function PriceHistory({ prices }: { prices: Prices['prices'] }) {
  const times = prices.map(({ recorded_at }) => Date.parse(recorded_at) / 1000);
  // Today's price goes on to today.
  const now = Date.now() / 1000;
  const until = <T,>(values: T[]) => [...values, values.at(-1) as T];
  return (
    <>
      {prices.length > 1 ? (
        <Lines
          title="Price over time"
          x={[...times, now]}
          steps
          lines={[
            {
              name: 'To pay',
              values: until(prices.map(({ discounted_price }) => discounted_price)),
              say: money,
            },
            { name: 'List price', values: until(prices.map(({ price }) => price)), say: money },
          ]}
        />
      ) : null}
      <Scroll label="Prices, newest first">
        <table className={t.table}>
          <thead>
            <tr>
              <th scope="col">Since</th>
              <th scope="col" className={t.number}>
                List price
              </th>
              <th scope="col" className={t.number}>
                To pay
              </th>
              <th scope="col">By</th>
              <th scope="col" className={t.number}>
                Log position
              </th>
            </tr>
          </thead>
          <tbody>
            {prices.toReversed().map(({ position, recorded_at, price, discounted_price, actor }) => (
              <tr key={position}>
                <td>
                  <time dateTime={recorded_at} title={exact(recorded_at)}>
                    {moment(recorded_at)}
                  </time>
                </td>
                <td className={t.number}>{money(price)}</td>
                <td className={t.number}>{money(discounted_price)}</td>
                <td>{actor}</td>
                <td className={t.number}>{count(position)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}
