import { useState } from 'react';
import f from '../../parts/field.module.css';
import { money } from '../../parts/format';
import { Action, Confirm } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import { type BulkAction, type Changed, changeOrders, type OrderRow } from '../api/queries';
import { orderListTexts as w } from '../texts/ru';
import { useMayWork } from './orders';
import s from './orders.module.css';

type Props = {
  chosen: OrderRow[];
  clear: () => void;
  told: (results: Changed[]) => Promise<void>;
  take: (rows: OrderRow[]) => void;
};

/** What may be done to the orders that were chosen, and what they come to. */
export function Bulk({ chosen, told, take }: Props) {
  const [mayChange, mayPack] = useMayWork();
  const [busy, setBusy] = useState<BulkAction>();
  const [cancelling, setCancelling] = useState(false);
  const [reason, setReason] = useState('');
  if (chosen.length === 0) return null;
  const numbers = chosen.map(({ number }) => String(number));
  const act = async (action: BulkAction) => {
    setBusy(action);
    try {
      await told(await changeOrders(action, numbers, reason));
    } catch (error) {
      await told(
        numbers.map((order) => ({ order, code: 'failed', detail: String((error as Error).message) })),
      );
    } finally {
      setBusy(undefined);
    }
  };
  const button = (action: BulkAction) => (
    <Action kind="strong" aria-disabled={busy !== undefined} onClick={() => !busy && act(action)}>
      {w.actions[action]}
    </Action>
  );
  return (
    <section className={s.bulk} aria-label={countTexts.orders(chosen.length)}>
      <p role="status">
        {w.selected(chosen.length, money(chosen.reduce((sum, { total_paid }) => sum + total_paid, 0)))}
      </p>
      <div>
        {mayChange ? button('approve') : null}
        {mayPack ? button('process') : null}
        {mayPack ? button('complete') : null}
        {mayChange ? (
          <Action kind="danger" onClick={() => setCancelling(true)}>
            {w.actions.cancel}
          </Action>
        ) : null}
        <Action onClick={() => take(chosen)}>{w.export}</Action>
        <Action onClick={() => print()}>{w.print}</Action>
      </div>
      {cancelling ? (
        <Confirm
          title={w.cancelTitle(chosen.length)}
          button={w.actions.cancel}
          danger
          act={() => act('cancel')}
          close={() => setCancelling(false)}
        >
          <p>{w.cancelWhy}</p>
          <label className={f.field}>
            {w.reason}
            <input value={reason} maxLength={500} onChange={({ target }) => setReason(target.value)} />
          </label>
        </Confirm>
      ) : null}
    </section>
  );
}

/** What became of each order that was changed: how many went well, and why the others did not. */
export function Results({ results, dismiss }: { results: Changed[] | undefined; dismiss: () => void }) {
  if (!results) return null;
  const refused = results.filter(({ code }) => code);
  return (
    <section className={s.results} aria-label={w.results} role="status">
      <p>{w.done(results.length - refused.length)}</p>
      {refused.length > 0 ? (
        <ul>
          {refused.map(({ order, number, detail, code }) => (
            <li key={order}>{w.refused(String(number ?? order), detail ?? code ?? '')}</li>
          ))}
        </ul>
      ) : null}
      <Action onClick={dismiss}>{w.dismiss}</Action>
    </section>
  );
}
