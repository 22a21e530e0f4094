import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Link } from '../../../kit/design/link';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { useMay } from '../../me';
import { Email } from '../../parts/email';
import f from '../../parts/field.module.css';
import { dayOf, money } from '../../parts/format';
import { Action, Confirm, Head, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { useFilters } from '../desk/address';
import { AsOf, type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { WithReason } from '../desk/reason';
import s from './parcels.module.css';
import { type CashDay, closeShort, parcelQueries, settle } from './queries';
import { parcelTexts as w } from './texts/ru';

/** The cash of couriers over days. What is short stays until it is handed in, or let go with a reason. */
export function Till() {
  const { value, narrow } = useFilters();
  const all = value('state') === 'all';
  const courier = value('courier');
  const at = useAt();
  const then = useThen();
  const found = useQuery(parcelQueries.cash(value('from'), value('to'), courier, !all, at));
  const couriers = new Map(found.data?.results.map((day) => [day.courier, day.courier_name]));
  return (
    <>
      <Head title={w.till} lead={w.tillLead}>
        <Link to={then('/admin/deliveries')}>{w.deliveries}</Link>
      </Head>
      <AsOf />
      <div className={s.bar}>
        <label className={f.field}>
          {w.show}
          <select value={all ? 'all' : ''} onChange={({ target }) => narrow('state', target.value)}>
            <option value="">{w.openDays}</option>
            <option value="all">{w.allDays}</option>
          </select>
        </label>
        <label className={f.field}>
          {w.courier}
          <select value={courier} onChange={({ target }) => narrow('courier', target.value)}>
            <option value="">{w.anyCourier}</option>
            {[...couriers].map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {(['from', 'to'] as const).map((end) => (
          <label key={end} className={f.field}>
            {end === 'from' ? w.fromDay : w.toDay}
            <input
              type="date"
              value={value(end) || (found.data?.[end] ?? '')}
              onChange={({ target }) => narrow(end, target.value)}
            />
          </label>
        ))}
      </div>
      <Loaded query={found} what={w.tillWhat} loading={<Loading rows={5} height={56} />}>
        {({ results }) => (
          <Table
            caption={w.till}
            columns={columns(results, then).filter(({ key }) => !at || key !== 'actions')}
            rows={results}
            rowKey={({ courier, day }) => courier + day}
            empty={
              all ? (
                <Nothing title={w.noCash}>{w.noCashWhy}</Nothing>
              ) : (
                <Nothing title={w.noDays}>{w.noDaysWhy}</Nothing>
              )
            }
            cards
          />
        )}
      </Loaded>
    </>
  );
}

const said = (day: string) => dayOf(Date.parse(day));
const isShort = ({ state }: CashDay) => state === 'short';

const columns = (rows: CashDay[], then: Then): Column<CashDay>[] => [
  {
    key: 'day',
    title: w.day,
    head: true,
    cell: ({ day }) => (
      <Link className={t.link} to={then(`/admin/deliveries?day=${day}`)}>
        {said(day)}
      </Link>
    ),
  },
  { key: 'courier', title: w.courier, cell: ({ courier_name }) => <Email of={courier_name} /> },
  { key: 'took', title: w.took, number: true, cell: ({ cash }) => money(cash) },
  {
    key: 'handed',
    title: w.handedIn,
    number: true,
    cell: ({ handed_in, settled_at }) => (settled_at ? money(handed_in) : '—'),
  },
  {
    key: 'short',
    title: w.short,
    number: true,
    cell: (row) => (row.settled_at && row.short !== 0 ? money(row.short) : '—'),
    foot: rows.some(isShort)
      ? `${w.shortSum}: ${money(rows.filter(isShort).reduce((sum, { short }) => sum + short, 0))}`
      : undefined,
  },
  {
    key: 'state',
    title: w.state,
    cell: (row) => (
      <div>
        {w.tillStates[row.state]}
        {row.settled_at ? (
          <span className={t.sub}>
            <Email of={row.settled_by} /> · <Moment at={row.settled_at} />
          </span>
        ) : null}
        {row.note ? <span className={t.sub}>{row.note}</span> : null}
        {row.closed_at ? (
          <span className={t.sub}>
            {row.close_reason} · {row.closed_by} · <Moment at={row.closed_at} />
          </span>
        ) : null}
      </div>
    ),
  },
  { key: 'actions', title: w.actions, actions: true, cell: (row) => <DayActions row={row} /> },
];

function DayActions({ row }: { row: CashDay }) {
  const client = useQueryClient();
  const mayClose = useMay('payments.mark');
  const [asking, setAsking] = useState<'take' | 'close'>();
  const renew = () => client.invalidateQueries({ queryKey: ['office'] });
  const close = () => setAsking(undefined);
  const day = said(row.day);
  if (row.state === 'settled' || row.state === 'closed') return null;
  return (
    <div className={d.actions}>
      <Action aria-label={w.handInOf(day)} onClick={() => setAsking('take')}>
        {w.handIn}
      </Action>
      {mayClose && isShort(row) ? (
        <Action kind="danger" aria-label={w.closeShortOf(day)} onClick={() => setAsking('close')}>
          {w.closeShort}
        </Action>
      ) : null}
      {asking === 'take' ? <Take row={row} day={day} renew={renew} close={close} /> : null}
      {asking === 'close' ? (
        <WithReason
          title={w.closeShortOf(day)}
          label={w.closeWhy}
          button={w.closeShort}
          danger
          act={async (reason) => {
            await closeShort(row.courier, row.day, reason);
            await renew();
          }}
          close={close}
        >
          <p>{w.closeAbout(money(row.short))}</p>
        </WithReason>
      ) : null}
    </div>
  );
}

/** What a courier has handed in of a day in all: with the cash of before, for a later count replaces the earlier one. */
function Take({
  row,
  day,
  renew,
  close,
}: {
  row: CashDay;
  day: string;
  renew: () => Promise<unknown>;
  close: () => void;
}) {
  const wrongId = useId();
  const [sum, setSum] = useState(String(row.cash));
  const [note, setNote] = useState(row.note);
  const whole = /^\d{1,9}$/.test(sum.trim());
  return (
    <Confirm
      title={w.handInOf(day)}
      button={w.settle}
      disabled={!whole || (Number(sum) !== row.cash && !note.trim())}
      act={async () => {
        await settle(row.courier, row.day, Number(sum), Number(sum) === row.cash ? '' : note);
        await renew();
      }}
      close={close}
    >
      <p>
        {w.expected}: {money(row.cash)}
      </p>
      <label className={f.field}>
        {w.handInAll(day)}
        <input
          inputMode="numeric"
          value={sum}
          aria-invalid={!whole}
          aria-describedby={wrongId}
          onChange={({ target }) => setSum(target.value)}
        />
      </label>
      <p id={wrongId} role="alert">
        {whole ? '' : w.badSum}
      </p>
      <label className={f.field}>
        {w.note}
        <input value={note} maxLength={500} onChange={({ target }) => setNote(target.value)} />
      </label>
    </Confirm>
  );
}
