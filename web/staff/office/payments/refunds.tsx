import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { useMay } from '../../me';
import f from '../../parts/field.module.css';
import { count, money } from '../../parts/format';
import { Action, Confirm, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { WithReason } from '../desk/reason';
import { paymentQueries, type RefundRow, retryRefund, settleRefund } from './queries';
import { paymentTexts as w } from './texts/ru';

/** Refunds that are not done: tried again at once, or recorded as paid by hand. */
export function Refunds({ stuck }: { stuck: boolean }) {
  const at = useAt();
  const then = useThen();
  const found = useQuery(paymentQueries.refunds(stuck, at));
  return (
    <>
      <p className={d.quiet}>{w.refundsAbout}</p>
      <Loaded query={found} what={w.what} loading={<Loading rows={4} height={64} />}>
        {({ results }) => (
          <Table
            caption={stuck ? w.stuck : w.refunds}
            columns={columns(then).filter(({ key }) => !at || (key !== 'tries' && key !== 'actions'))}
            rows={results}
            rowKey={({ id }) => id}
            empty={<Nothing title={w.noRefunds}>{w.noRefundsWhy}</Nothing>}
            cards
          />
        )}
      </Loaded>
    </>
  );
}

const columns = (then: Then): Column<RefundRow>[] => [
  {
    key: 'order',
    title: w.order,
    head: true,
    cell: ({ number, order_id }) => (
      <Link className={t.link} to={then(`/admin/orders/${number || order_id}`)}>
        {number || order_id}
      </Link>
    ),
  },
  { key: 'sum', title: w.sum, number: true, cell: ({ amount }) => money(amount) },
  { key: 'provider', title: w.provider, cell: ({ provider }) => w.providers(provider) },
  { key: 'tries', title: w.tried, number: true, cell: ({ tries }) => count(tries) },
  {
    key: 'when',
    title: w.when,
    cell: ({ created_at, next_try, actor }) => (
      <div>
        <Moment at={created_at} />
        <span className={t.sub}>{actor}</span>
        {next_try ? (
          <span className={t.sub}>
            {w.nextTry} <Moment at={next_try} />
          </span>
        ) : null}
      </div>
    ),
  },
  { key: 'actions', title: w.actions, actions: true, cell: (row) => <RefundActions row={row} /> },
];

function RefundActions({ row }: { row: RefundRow }) {
  const client = useQueryClient();
  const mayRefund = useMay('orders.refund');
  const mayMark = useMay('payments.mark');
  const [asking, setAsking] = useState<'retry' | 'settle'>();
  const [reference, setReference] = useState('');
  const [told, setTold] = useState('');
  const renew = () => client.invalidateQueries({ queryKey: ['office'] });
  return (
    <div className={d.actions}>
      {mayRefund ? (
        <Action aria-label={w.retryOf(row.number)} onClick={() => setAsking('retry')}>
          {w.retry}
        </Action>
      ) : null}
      {mayMark ? (
        <Action aria-label={w.settleOf(row.number)} onClick={() => setAsking('settle')}>
          {w.settle}
        </Action>
      ) : null}
      <span role="status" className={t.sub}>
        {told}
      </span>
      {asking === 'retry' ? (
        <Confirm
          title={w.retryTitle(money(row.amount))}
          button={w.retry}
          act={async () => {
            try {
              await retryRefund(row.id);
            } finally {
              await renew();
            }
          }}
          close={() => setAsking(undefined)}
        >
          <p>{w.retryWhy}</p>
        </Confirm>
      ) : null}
      {asking === 'settle' ? (
        <WithReason
          title={w.settleTitle(money(row.amount))}
          label={w.settleReason}
          button={w.settle}
          danger
          disabled={!reference.trim()}
          act={async (reason) => {
            const { waits } = await settleRefund(row.id, reference.trim(), reason);
            setTold(waits ? w.settleWaits : '');
            await renew();
          }}
          close={() => setAsking(undefined)}
        >
          <p>{w.settleWhy}</p>
          <label className={f.field}>
            {w.settleReference}
            <input
              required
              value={reference}
              maxLength={100}
              autoComplete="off"
              onChange={({ target }) => setReference(target.value)}
            />
          </label>
        </WithReason>
      ) : null}
    </div>
  );
}
