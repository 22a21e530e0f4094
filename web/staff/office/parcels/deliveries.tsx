import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import { useSearchParams } from '../../../kit/router/router';
import { given, words } from '../../api/client';
import f from '../../parts/field.module.css';
import { money, signed } from '../../parts/format';
import { Action, Head, Loaded, Loading, Nothing, Section } from '../../parts/parts';
import { AsOf, Now, useAt, useThen } from '../desk/as-of';
import { carrierName } from './carriers';
import s from './parcels.module.css';
import {
  assignCourier,
  type CourierRound,
  type DeliveryDay,
  dayAsked,
  handOver,
  nobody,
  type Parcel,
  parcelQueries,
  settle,
  ship,
  sortStops,
} from './queries';
import { parcelTexts as w } from './texts/ru';

/** What leaves the shop on a day: each courier's stops with phones and sums, what nobody has yet, carriers and the day's cash. */
export function Deliveries() {
  const [address, setAddress] = useSearchParams();
  const at = useAt();
  const then = useThen();
  const day = dayAsked(address.get('day'), at);
  const found = useQuery(parcelQueries.deliveries(day, at));
  const client = useQueryClient();
  const [failed, setFailed] = useState('');
  const act = async (...all: (() => Promise<void>)[]) => {
    setFailed('');
    const wrong: string[] = [];
    for (const one of all) await one().catch((error) => wrong.push(words(error)));
    setFailed([...new Set(wrong)].join(' '));
    await client.invalidateQueries({ queryKey: ['office'] });
  };
  return (
    <>
      <Head title={w.deliveries}>
        <Link to={then('/admin/deliveries/cash')}>{w.till}</Link>
        <Action onClick={() => print()}>{w.print}</Action>
      </Head>
      <AsOf />
      <div className={s.bar}>
        <label className={f.field}>
          {w.day}
          <input
            type="date"
            value={day || (found.data?.day ?? '')}
            onChange={({ target }) => setAddress(given({ day: target.value, at }), { replace: true })}
          />
        </label>
      </div>
      <p role="alert">{failed}</p>
      <Loaded query={found} what={w.what} loading={<Loading rows={5} height={72} />}>
        {(all) => <Day key={all.day + at} all={all} act={act} />}
      </Loaded>
    </>
  );
}

type Act = (...all: (() => Promise<void>)[]) => Promise<void>;

function Day({ all: { day, orders, couriers, rounds }, act }: { all: DeliveryDay; act: Act }) {
  const place = (order: Parcel, { stops }: Pick<CourierRound, 'stops'>) => {
    const at = stops.indexOf(order.id);
    return at < 0 ? stops.length : at;
  };
  const free = orders.filter(({ courier }) => !courier);
  const past = useAt() !== '';
  return (
    <>
      {orders.length === 0 ? <Nothing title={w.none}>{w.noneWhy}</Nothing> : null}
      {free.length > 0 ? (
        <Section title={`${w.nobody} · ${w.count(free.length)}`}>
          <ul className={s.list}>
            {free.map((order) => (
              <Row key={order.id} order={order} couriers={couriers} day={day} act={act} />
            ))}
          </ul>
        </Section>
      ) : null}
      {couriers.map(({ id, email }) => {
        const round = rounds.find(({ courier }) => courier === id) ?? emptyRound(id, day);
        const own = orders
          .filter(({ courier }) => courier === id)
          .sort((a, b) => place(a, round) - place(b, round) || a.number - b.number);
        if (own.length === 0 && !round.settled_at) return null;
        const move = (from: number, to: number) => {
          const ids = own.map((order) => order.id);
          const [moved] = ids.splice(from, 1);
          if (moved === undefined || to < 0 || to > ids.length) return;
          ids.splice(to, 0, moved);
          act(() => sortStops(id, day, ids));
        };
        const ready = own.filter(({ packed_at, handed_over_at }) => packed_at && !handed_over_at);
        return (
          <Section
            key={id}
            title={`${email} · ${w.collect(money(own.reduce((sum, order) => sum + order.to_collect, 0)))}`}
            aside={
              ready.length > 0 && !past ? (
                <Action
                  kind="strong"
                  onClick={() =>
                    act(
                      ...ready.map(
                        ({ number }) =>
                          () =>
                            handOver(number, { courier: id }),
                      ),
                    )
                  }
                >
                  {w.handOverAll}
                </Action>
              ) : null
            }
          >
            <ol className={s.list}>
              {own.map((order, at) => (
                <Row
                  key={order.id}
                  order={order}
                  couriers={couriers}
                  day={day}
                  act={act}
                  up={at > 0 && !past ? () => move(at, at - 1) : undefined}
                  down={at < own.length - 1 && !past ? () => move(at, at + 1) : undefined}
                  dropped={
                    past
                      ? undefined
                      : (dragged) =>
                          move(
                            own.findIndex(({ id }) => id === dragged),
                            at,
                          )
                  }
                />
              ))}
            </ol>
            <Cash round={round} act={act} />
          </Section>
        );
      })}
      <Now>
        <Shipments act={act} />
      </Now>
    </>
  );
}

const emptyRound = (courier: string, day: string): CourierRound => ({
  courier,
  day,
  stops: [],
  cash: 0,
  settled_at: null,
  expected: 0,
  handed_in: 0,
  note: '',
});

const stateOf = (order: Parcel): string => {
  if (order.delivered_at) return order.to_collect > 0 ? w.awaitsMoney : w.delivered;
  if (order.handed_over_at)
    return order.carrier ? `${carrierName(order.carrier)} ${order.tracking}` : w.handedOver;
  return order.packed_at ? w.ready : w.notPacked;
};

function Row({
  order,
  couriers,
  day,
  act,
  up,
  down,
  dropped,
}: {
  order: Parcel;
  couriers: DeliveryDay['couriers'];
  day: string;
  act: Act;
  up?: () => void;
  down?: () => void;
  dropped?: ((dragged: string) => void) | undefined;
}) {
  const { number } = order;
  const then = useThen();
  const past = useAt() !== '';
  return (
    <li
      className={s.card}
      draggable={dropped !== undefined}
      onDragStart={({ dataTransfer }) => dataTransfer.setData('text/plain', order.id)}
      onDragOver={(event) => dropped && event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        dropped?.(event.dataTransfer.getData('text/plain'));
      }}
    >
      <div className={s.row}>
        <b>
          <Link to={then(`/admin/orders/${number}`)}>{number}</Link> {order.name}
        </b>
        <span className={s.muted}>{stateOf(order)}</span>
        {up ? (
          <Action aria-label={w.up(number)} onClick={up} className={s.noPrint}>
            ↑
          </Action>
        ) : null}
        {down ? (
          <Action aria-label={w.down(number)} onClick={down} className={s.noPrint}>
            ↓
          </Action>
        ) : null}
      </div>
      <p>
        {order.city}, {order.address} · <a href={`tel:${order.phone}`}>{order.phone}</a>
      </p>
      <p>{order.to_collect > 0 ? w.collect(money(order.to_collect)) : w.paid}</p>
      {order.handed_over_at || past ? null : (
        <div className={`${s.row} ${s.noPrint}`}>
          <label className={f.field}>
            {w.courier}
            <select
              aria-label={w.courierOf(number)}
              value={order.courier ?? nobody}
              onChange={({ target }) => act(() => assignCourier(number, target.value, day))}
            >
              <option value={nobody}>{w.nobody}</option>
              {couriers.map(({ id, email }) => (
                <option key={id} value={id}>
                  {email}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
    </li>
  );
}

/** The cash of a courier's day: what should be there, what was handed in, and why it differs. */
function Cash({ round, act }: { round: CourierRound; act: Act }) {
  const [sum, setSum] = useState('');
  const [note, setNote] = useState('');
  return (
    <form
      className={s.bar}
      aria-label={w.cashTitle}
      onSubmit={(event) => {
        event.preventDefault();
        act(() => settle(round.courier, round.day, Number(sum), note));
      }}
    >
      <p>
        {w.expected}: {money(round.cash)}
        {round.settled_at
          ? ` · ${w.settled}: ${money(round.handed_in)} (${signed(round.handed_in - round.expected)}) ${round.note}`
          : ''}
      </p>
      <Now>
        <label className={f.field}>
          {w.handedIn}
          <input
            inputMode="numeric"
            value={sum}
            onChange={({ target }) => setSum(target.value.replace(/\D/g, '').slice(0, 9))}
          />
        </label>
        <label className={f.field}>
          {w.note}
          <input value={note} maxLength={500} onChange={({ target }) => setNote(target.value)} />
        </label>
        <Action type="submit" disabled={sum === ''}>
          {w.settle}
        </Action>
      </Now>
    </form>
  );
}

/** Orders that carriers took, from a file: all of its rows or none. */
function Shipments({ act }: { act: Act }) {
  const [csv, setCsv] = useState('');
  const [result, setResult] = useState<Awaited<ReturnType<typeof ship>>>();
  return (
    <Section title={w.shipments}>
      <form
        className={s.noPrint}
        onSubmit={(event) => {
          event.preventDefault();
          setResult(undefined);
          act(async () => setResult(await ship(csv)));
        }}
      >
        <p className={s.muted}>{w.shipmentsWhy}</p>
        <div className={`${f.field} ${s.file}`}>
          <input
            type="file"
            accept=".csv,text/csv,text/plain"
            aria-label={w.shipments}
            onChange={async ({ target }) => setCsv((await target.files?.[0]?.text()) ?? '')}
          />
        </div>
        <textarea
          className={s.area}
          aria-label={w.tracking}
          value={csv}
          placeholder={'100001;Казпочта;KZ123456789'}
          onChange={({ target }) => setCsv(target.value)}
        />
        <Action type="submit" kind="strong" disabled={csv.trim() === ''}>
          {w.upload}
        </Action>
      </form>
      <div role="status">
        {result && result.wrong.length === 0 ? <p>{w.shipped(result.done)}</p> : null}
        {result && result.wrong.length > 0 ? (
          <>
            <p>{w.nothingShipped}</p>
            <ul>
              {result.wrong.map(({ line, order, detail }) => (
                <li key={line}>{w.row(line, order, detail)}</li>
              ))}
            </ul>
          </>
        ) : null}
      </div>
    </Section>
  );
}
