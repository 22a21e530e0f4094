import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { Link } from '../../../kit/design/link';
import { useParams, useSearchParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { Rich } from '../../../kit/texts/rich';
import { count, exact, moment, money, signed } from '../../parts/format';
import { Mark } from '../../parts/mark';
import { Action, Fact, Facts, Head, Loaded, Moment, Nothing, Section } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import { queries } from '../api/queries';
import type { Ledger, Movement, Prices } from '../api/types';
import { Lines } from '../charts/lines';
import { MomentForm, momentOf } from '../moment';
import { productTexts } from '../texts/ru';
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
        <Head title={productTexts.aProduct} lead={id} />
        <Nothing title={productTexts.noSuch}>
          <Rich
            text={productTexts.noSuchWhy}
            link={(words) => (
              <Link className={t.link} to="/analytics/products">
                {words}
              </Link>
            )}
          />
        </Nothing>
      </>
    );
  return (
    <>
      <Head
        title={sold?.name ?? productTexts.aProduct}
        lead={
          sold ? (
            <>
              {sold.article} · {sold.package_size} ·{' '}
              <a className={t.link} href={`/product/${sold.link}`}>
                {productTexts.inShop}
              </a>
            </>
          ) : (
            id
          )
        }
      />
      <Section
        title={productTexts.stock}
        aside={<MomentForm at={at} show={(at) => setAddress(at ? { at } : {})} />}
      >
        {at !== '' && then === '' ? (
          <p role="status" className={s.said}>
            {productTexts.noTime(at)}
          </p>
        ) : null}
        <Loaded query={stock} what={productTexts.whatLedger}>
          {(ledger) => <Movements ledger={ledger} at={then} all={() => setLimit(1000)} />}
        </Loaded>
      </Section>
      <Section title={productTexts.price}>
        <Loaded query={prices} what={productTexts.whatPrices}>
          {(found) => <PriceHistory prices={found.prices} />}
        </Loaded>
      </Section>
    </>
  );
}

function Movements({ ledger, at, all }: { ledger: Ledger; at: string; all: () => void }) {
  const { on_hand, reserved, gap, movements, entries } = ledger;
  if (movements === 0)
    return <Nothing title={productTexts.noMovement}>{at ? productTexts.noneByThen : null}</Nothing>;
  return (
    <>
      <div className={s.sum}>
        <Facts>
          <Fact label={at ? productTexts.onHandAt(moment(at)) : productTexts.onHand}>
            {countTexts.pieces(on_hand)}
          </Fact>
          <Fact label={productTexts.reserved}>{count(reserved)}</Fact>
          <Fact label={productTexts.freeToOrder}>{count(on_hand - reserved)}</Fact>
          <Fact label={productTexts.sumOf(countTexts.movements(movements))}>
            <Mark tone={gap === 0 ? 'good' : 'bad'}>
              {gap === 0 ? productTexts.addsUp : productTexts.gap(gap)}
            </Mark>
          </Fact>
        </Facts>
      </div>
      <Table
        caption={productTexts.movements}
        columns={movementColumns()}
        rows={entries}
        rowKey={({ position, version }) => `${position} ${version}`}
      />
      {movements > entries.length ? (
        <p className={s.more}>
          {entries.length < 1000 ? (
            <Action onClick={all}>{productTexts.showUpTo(count(1000), count(movements))}</Action>
          ) : (
            productTexts.newestOf(count(entries.length), count(movements))
          )}
        </p>
      ) : null}
    </>
  );
}

const moved = (by: number) => (by === 0 ? s.zero : undefined);

const movementColumns = (): Column<Movement>[] => [
  { key: 'when', title: productTexts.when, cell: ({ recorded_at }) => <Moment at={recorded_at} /> },
  { key: 'kind', title: productTexts.kind, cell: ({ kind }) => kind },
  { key: 'why', title: productTexts.why, cell: (entry) => <Cause of={entry} /> },
  {
    key: 'on_hand',
    title: productTexts.onHand,
    number: true,
    className: ({ on_hand }) => moved(on_hand),
    cell: ({ on_hand }) => signed(on_hand),
  },
  {
    key: 'on_hand_after',
    title: productTexts.after,
    number: true,
    cell: ({ on_hand_after }) => count(on_hand_after),
  },
  {
    key: 'reserved',
    title: productTexts.reserved,
    number: true,
    className: ({ reserved }) => moved(reserved),
    cell: ({ reserved }) => signed(reserved),
  },
  {
    key: 'reserved_after',
    title: productTexts.after,
    number: true,
    cell: ({ reserved_after }) => count(reserved_after),
  },
  { key: 'by', title: productTexts.by, cell: ({ actor }) => actor },
];

function Cause({ of: { cause, order_number } }: { of: Movement }) {
  if (order_number !== null)
    return (
      <Link className={t.link} to={`/analytics/orders/${order_number}`}>
        {productTexts.order(order_number)}
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
          title={productTexts.overTime}
          x={[...times, now]}
          steps
          lines={[
            {
              name: productTexts.toPay,
              values: until(prices.map(({ discounted_price }) => discounted_price)),
              say: money,
            },
            { name: productTexts.listPrice, values: until(prices.map(({ price }) => price)), say: money },
          ]}
        />
      ) : null}
      <Table
        caption={productTexts.prices}
        columns={priceColumns()}
        rows={prices.toReversed()}
        rowKey={({ position }) => position}
      />
    </>
  );
}

const priceColumns = (): Column<Prices['prices'][number]>[] => [
  {
    key: 'since',
    title: productTexts.since,
    cell: ({ recorded_at }) => (
      <time dateTime={recorded_at} title={exact(recorded_at)}>
        {moment(recorded_at)}
      </time>
    ),
  },
  { key: 'price', title: productTexts.listPrice, number: true, cell: ({ price }) => money(price) },
  {
    key: 'pay',
    title: productTexts.toPay,
    number: true,
    cell: ({ discounted_price }) => money(discounted_price),
  },
  { key: 'by', title: productTexts.by, cell: ({ actor }) => actor },
  { key: 'position', title: productTexts.position, number: true, cell: ({ position }) => count(position) },
];
