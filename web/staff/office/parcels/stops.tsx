import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { money } from '../../parts/format';
import { Action, Confirm, Head, Loaded, Nothing } from '../../parts/parts';
import s from './parcels.module.css';
import { Photo } from './photo';
import { arrive, failStop, type Parcel, parcelQueries } from './queries';
import { parcelTexts as w } from './texts/ru';

/** A courier's own orders of today, in the order of the round. */
export function Stops() {
  const found = useQuery(parcelQueries.stops());
  return (
    <>
      <Head title={w.stops} />
      <Loaded query={found} what={w.what}>
        {({ orders }) =>
          orders.length === 0 ? (
            <Nothing title={w.noStops}>{w.noStopsWhy}</Nothing>
          ) : (
            <ol className={s.list}>
              {orders.map((order) => (
                <li key={order.id} className={s.card}>
                  <Stop order={order} />
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </>
  );
}

function Stop({ order }: { order: Parcel }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState('');
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState('not_at_home');
  const [day, setDay] = useState('');
  const act = async (method: '' | 'CASH' | 'KASPI_QR') => {
    if (busy) return;
    setBusy(true);
    setFailed('');
    try {
      await arrive(order.number, method);
      await client.invalidateQueries({ queryKey: ['office', 'stops'] });
    } catch (error) {
      setFailed(words(error));
    } finally {
      setBusy(false);
    }
  };
  const owes = order.to_collect > 0;
  const button = (method: '' | 'CASH' | 'KASPI_QR', said: string) => (
    <Action
      className={s.tall}
      kind={owes && !method ? 'soft' : 'strong'}
      aria-label={`${said}: ${w.order(order.number)}`}
      aria-disabled={busy}
      onClick={() => act(method)}
    >
      {said}
    </Action>
  );
  return (
    <>
      <p>
        <b>{order.number}</b> {order.name}
      </p>
      <p>
        {order.city}, {order.address}
      </p>
      {order.comment ? <p className={s.muted}>{order.comment}</p> : null}
      <p>
        <b>{owes ? w.collect(money(order.to_collect)) : w.paid}</b>
      </p>
      <div className={s.row}>
        <a href={`tel:${order.phone}`}>
          {w.call} {order.phone}
        </a>
        <a
          href={`https://2gis.kz/search/${encodeURIComponent(`${order.city}, ${order.address}`)}`}
          target="_blank"
          rel="noreferrer"
        >
          {w.map}
        </a>
      </div>
      {order.delivered_at ? (
        <p role="status">{owes ? w.awaitsMoney : `${w.done} ✓`}</p>
      ) : order.handed_over_at ? null : (
        <p className={s.muted}>{order.packed_at ? w.ready : w.notPacked}</p>
      )}
      {order.handed_over_at && (!order.delivered_at || owes) ? (
        <div className={s.row}>
          {owes ? button('CASH', w.cash) : button('', w.deliver)}
          {owes ? button('KASPI_QR', w.qr) : null}
          {owes && !order.delivered_at ? button('', w.unpaid) : null}
          {order.delivered_at ? null : (
            <Action
              className={s.tall}
              kind="plain"
              aria-label={`${w.fail}: ${w.order(order.number)}`}
              onClick={() => setAsking(true)}
            >
              {w.fail}
            </Action>
          )}
        </div>
      ) : null}
      {order.handed_over_at ? <Photo order={order} /> : null}
      <p role="alert">{failed}</p>
      {asking ? (
        <Confirm
          title={w.failTitle(order.number)}
          button={w.fail}
          danger
          act={async () => {
            await failStop(order.number, { reason: reason as 'refused', day });
            await client.invalidateQueries({ queryKey: ['office', 'stops'] });
          }}
          close={() => setAsking(false)}
        >
          <label className={f.field}>
            {w.reason}
            <select value={reason} onChange={({ target }) => setReason(target.value)}>
              {Object.entries(w.reasons).map(([code, said]) => (
                <option key={code} value={code}>
                  {said}
                </option>
              ))}
            </select>
          </label>
          <label className={f.field}>
            {w.newDay}
            <input type="date" value={day} onChange={({ target }) => setDay(target.value)} />
          </label>
        </Confirm>
      ) : null}
    </>
  );
}
