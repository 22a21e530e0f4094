import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { useMay } from '../../me';
import { count } from '../../parts/format';
import { Action, Head, Loaded, Loading, MaskedNote, Moment, Nothing, Section } from '../../parts/parts';
import { useFilters } from '../desk/address';
import { AsOf, type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { Pages } from '../desk/pages';
import { type AwaitedProduct, type WaitingCustomer, waitingQueries } from './queries';
import { waitingTexts as w } from './texts/ru';

/** What customers wait for, how much of it there is, and who waits. */
export function Waiting() {
  const { offset, turn } = useFilters();
  const [shown, setShown] = useState<AwaitedProduct>();
  const found = useQuery(waitingQueries.list(offset, useAt()));
  return (
    <>
      <Head title={w.title} lead={w.lead} />
      <AsOf />
      <Loaded query={found} what={w.what} loading={<Loading rows={6} height={64} />}>
        {({ results }) => (
          <>
            <Table
              caption={w.title}
              columns={columns(shown, setShown)}
              rows={results}
              rowKey={({ product_id }) => product_id}
              empty={<Nothing title={w.none}>{w.noneWhy}</Nothing>}
              cards
            />
            <Pages label={w.title} offset={offset} shown={results.length} turn={turn} />
          </>
        )}
      </Loaded>
      {shown ? <Who product={shown} /> : null}
    </>
  );
}

function Who({ product }: { product: AwaitedProduct }) {
  const customers = useMay('customers.see');
  const then = useThen();
  const found = useQuery(waitingQueries.who(product.product_id, useAt()));
  return (
    <Section title={w.whoFor(product.product)}>
      <Loaded query={found} what={w.what} loading={<Loading rows={3} height={48} />}>
        {({ results }) => (
          <>
            <Table
              caption={w.whoFor(product.product)}
              columns={whoColumns(customers, then)}
              rows={results}
              rowKey={({ customer_id }) => customer_id}
              empty={<Nothing title={w.nobody} />}
              cards
            />
            <MaskedNote value={results} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

const columns = (
  shown: AwaitedProduct | undefined,
  show: (product: AwaitedProduct | undefined) => void,
): Column<AwaitedProduct>[] => [
  {
    key: 'product',
    title: w.product,
    head: true,
    cell: ({ product, article, link, archived }) => (
      <>
        {archived ? product : <Link to={`/product/${link}`}>{product}</Link>}
        <span className={t.sub}>{archived ? `${article} · ${w.archived}` : article}</span>
      </>
    ),
  },
  { key: 'waiting', title: w.waiting, number: true, cell: ({ waiting }) => count(waiting) },
  {
    key: 'since',
    title: w.since,
    cell: ({ since, last }) => (
      <div>
        <Moment at={since} />
        {since === last ? null : (
          <span className={t.sub}>
            {w.last} <Moment at={last} />
          </span>
        )}
      </div>
    ),
  },
  {
    key: 'stock',
    title: w.stock,
    number: true,
    cell: ({ available, on_hand, reserved }) => (
      <div>
        {count(available)}
        <span className={t.sub}>{w.stockOf(count(on_hand), count(reserved))}</span>
      </div>
    ),
  },
  {
    key: 'actions',
    title: w.actions,
    actions: true,
    cell: (row) => {
      const open = shown?.product_id === row.product_id;
      return (
        <div className={d.actions}>
          <Action
            aria-expanded={open}
            aria-label={w.whoFor(row.product)}
            onClick={() => show(open ? undefined : row)}
          >
            {w.who}
          </Action>
        </div>
      );
    },
  },
];

const whoColumns = (customers: boolean, then: Then): Column<WaitingCustomer>[] => [
  {
    key: 'name',
    title: w.name,
    head: true,
    cell: ({ name, customer_id }) =>
      customers ? (
        <Link className={t.link} to={then(`/admin/customers/${customer_id}`)}>
          {name || w.erased}
        </Link>
      ) : (
        name || w.erased
      ),
  },
  {
    key: 'contact',
    title: w.contact,
    cell: ({ phone, email }) => (
      <div className={d.id}>
        {phone || '—'}
        <span className={t.sub}>{email}</span>
      </div>
    ),
  },
  { key: 'since', title: w.since, cell: ({ since }) => <Moment at={since} /> },
];
