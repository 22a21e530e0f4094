import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { words } from '../../api/client';
import { useMay } from '../../me';
import { count, money } from '../../parts/format';
import { Action, Head, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { useFilters } from '../desk/address';
import { AsOf, Now, type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { Pages } from '../desk/pages';
import { WithReason } from '../desk/reason';
import { Status } from '../orders/status';
import { askForPayment, markPayment, type PaymentRow, type PaymentState, paymentQueries } from './queries';
import { Refunds } from './refunds';
import { paymentTexts as w } from './texts/ru';

const states: PaymentState[] = ['open', 'late', 'mismatched', 'twice', 'marked'];

/** Bills and refunds that need somebody. The kind stands in the address. */
export function Payments() {
  const { value, offset, turn } = useFilters();
  const [told, setTold] = useState('');
  const at = useAt();
  const then = useThen();
  const shown = value('state');
  const refunds = shown === 'refunds' || shown === 'stuck';
  // How often a refund was tried is not known of the past.
  const stuck = shown === 'stuck' && !at;
  const state = states.find((one) => one === shown) ?? 'open';
  const found = useQuery(paymentQueries.list(state, refunds ? 0 : offset, at));
  const counts = found.data?.counts;
  const tab = (name: string, to: string, here: boolean, many?: number) => (
    <li key={name}>
      <Link to={then(to)} aria-current={here ? 'page' : undefined}>
        {name}
        {many === undefined ? null : <b>{count(many)}</b>}
      </Link>
    </li>
  );
  return (
    <>
      <Head title={w.title} lead={w.lead}>
        <Now>
          <Link className={t.link} to="/admin/payments/reconciliation">
            {w.reconciliation}
          </Link>
        </Now>
      </Head>
      <AsOf />
      <nav aria-label={w.kinds}>
        <ul className={d.tabs}>
          {states.map((one) =>
            tab(w.states[one], `/admin/payments?state=${one}`, !refunds && one === state, counts?.[one]),
          )}
          {tab(w.refunds, '/admin/payments?state=refunds', refunds && !stuck)}
          {at ? null : tab(w.stuck, '/admin/payments?state=stuck', stuck)}
        </ul>
      </nav>
      <p className={d.told} role="status">
        {told}
      </p>
      {refunds ? (
        <Refunds stuck={stuck} />
      ) : (
        <>
          <p className={d.quiet}>{w.about[state]}</p>
          <Loaded query={found} what={w.what} loading={<Loading rows={6} height={64} />}>
            {({ results }) => (
              <>
                <Table
                  caption={w.states[state]}
                  columns={columns(setTold, then).filter(
                    ({ key }) => !at || (key !== 'tries' && key !== 'actions'),
                  )}
                  rows={results}
                  rowKey={({ payment_id, order_id }) => order_id + payment_id}
                  empty={<Nothing title={w.none}>{w.noneWhy}</Nothing>}
                  cards
                />
                <Pages
                  label={w.title}
                  offset={offset}
                  shown={results.length}
                  all={counts?.[state]}
                  turn={turn}
                />
              </>
            )}
          </Loaded>
        </>
      )}
    </>
  );
}

const columns = (tell: (what: string) => void, then: Then): Column<PaymentRow>[] => [
  {
    key: 'order',
    title: w.order,
    head: true,
    cell: ({ number }) => (
      <Link className={t.link} to={then(`/admin/orders/${number}`)}>
        {number}
      </Link>
    ),
  },
  {
    key: 'status',
    title: w.status,
    cell: ({ order_status, provider }) => (
      <div>
        <Status status={order_status} />
        <span className={t.sub}>{w.providers(provider)}</span>
      </div>
    ),
  },
  { key: 'asked', title: w.asked, number: true, cell: ({ asked }) => money(asked) },
  {
    key: 'captured',
    title: w.captured,
    number: true,
    cell: ({ captured, refunded, owed }) => (
      <div>
        {money(captured)}
        {refunded > 0 ? <span className={t.sub}>{w.refunded(money(refunded))}</span> : null}
        {owed > 0 ? <span className={t.sub}>{w.owed(money(owed))}</span> : null}
      </div>
    ),
  },
  {
    key: 'when',
    title: w.when,
    cell: ({ requested_at, pay_before, paid_at, marked_at }) => (
      <div>
        <Moment at={requested_at} />
        {paid_at ? (
          <span className={t.sub}>
            {w.paidAt} <Moment at={paid_at} />
          </span>
        ) : pay_before ? (
          <span className={t.sub}>
            {w.payBefore} <Moment at={pay_before} />
          </span>
        ) : null}
        {marked_at ? (
          <span className={t.sub}>
            {w.markedAt} <Moment at={marked_at} />
          </span>
        ) : null}
      </div>
    ),
  },
  {
    key: 'tries',
    title: w.tries,
    number: true,
    cell: ({ tries }) => count(tries),
  },
  {
    key: 'actions',
    title: w.actions,
    actions: true,
    cell: (row) => <RowActions row={row} tell={tell} />,
  },
];

function RowActions({ row, tell }: { row: PaymentRow; tell: (what: string) => void }) {
  const client = useQueryClient();
  const mayMark = useMay('payments.mark');
  const [marking, setMarking] = useState(false);
  const [busy, setBusy] = useState(false);
  const ask = async () => {
    setBusy(true);
    try {
      const { outcome } = await askForPayment(row.payment_id);
      tell(w.said(row.number, w.outcomes[outcome]));
      await client.invalidateQueries({ queryKey: ['office'] });
    } catch (error) {
      tell(w.said(row.number, words(error)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={d.actions}>
      {row.provider ? (
        <Action aria-disabled={busy} aria-label={w.askOf(row.number)} onClick={() => busy || ask()}>
          {w.ask}
        </Action>
      ) : null}
      {mayMark && !row.marked_at ? (
        <Action aria-label={w.markOf(row.number)} onClick={() => setMarking(true)}>
          {w.mark}
        </Action>
      ) : null}
      {marking ? (
        <WithReason
          title={w.markTitle(row.number)}
          label={w.reason}
          button={w.mark}
          act={async (reason) => {
            await markPayment(row.payment_id, reason);
            tell(w.marked(row.number));
            await client.invalidateQueries({ queryKey: ['office'] });
          }}
          close={() => setMarking(false)}
        >
          <p>{w.markWhy}</p>
        </WithReason>
      ) : null}
    </div>
  );
}
