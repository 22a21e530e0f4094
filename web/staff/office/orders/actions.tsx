import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { words } from '../../api/client';
import { useMay } from '../../me';
import f from '../../parts/field.module.css';
import { money } from '../../parts/format';
import { Action, Confirm } from '../../parts/parts';
import { type BulkAction, changeOrders, type OrderSheet, refund } from '../api/queries';
import { sheetTexts as w } from '../texts/ru';
import s from './order.module.css';

/** What may be done to the order now: no button leads to a refusal. */
export function Actions({ sheet }: { sheet: OrderSheet }) {
  const client = useQueryClient();
  const may = {
    change: useMay('orders.change'),
    pack: useMay('orders.pack'),
    refund: useMay('orders.refund'),
  };
  const [asking, setAsking] = useState<'cancel' | 'refund'>();
  const [reason, setReason] = useState('');
  const [sum, setSum] = useState('');
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState('');
  const order = String(sheet.number);
  const captured = sheet.order.captured ?? 0;
  const act = async (action: BulkAction) => {
    const [result] = await changeOrders(action, [order], reason);
    await client.invalidateQueries({ queryKey: ['office'] });
    if (result?.code) throw new Problem(409, { detail: result.detail ?? result.code });
  };
  const step = async (action: BulkAction) => {
    setBusy(true);
    setFailed('');
    try {
      await act(action);
    } catch (error) {
      setFailed(words(error));
    } finally {
      setBusy(false);
    }
  };
  const can = (action: OrderSheet['possible'][number], permitted: boolean) =>
    permitted && sheet.possible.includes(action);
  return (
    <>
      {(['approve', 'process', 'complete'] as const).map((action) =>
        can(action, action === 'approve' ? may.change : may.pack) ? (
          <Action key={action} kind="strong" aria-disabled={busy} onClick={() => busy || step(action)}>
            {w.actions[action]}
          </Action>
        ) : null,
      )}
      {can('refund', may.refund) ? (
        <Action onClick={() => setAsking('refund')}>{w.actions.refund}</Action>
      ) : null}
      {can('cancel', may.change) ? (
        <Action kind="danger" onClick={() => setAsking('cancel')}>
          {w.actions.cancel}
        </Action>
      ) : null}
      <p role="alert" className={s.failed}>
        {failed}
      </p>
      {asking === 'cancel' ? (
        <Confirm
          title={w.cancelTitle}
          button={w.actions.cancel}
          danger
          act={() => act('cancel')}
          close={() => setAsking(undefined)}
        >
          <p>{w.cancelWhy}</p>
          <label className={f.field}>
            {w.reason}
            <input value={reason} maxLength={500} onChange={({ target }) => setReason(target.value)} />
          </label>
        </Confirm>
      ) : null}
      {asking === 'refund' ? (
        <Confirm
          title={w.refundTitle}
          button={w.actions.refund}
          danger
          disabled={!/^[1-9]\d*$/.test(sum)}
          act={async () => {
            await refund(order, Number(sum));
            await client.invalidateQueries({ queryKey: ['office'] });
          }}
          close={() => setAsking(undefined)}
        >
          <p>{w.refundWhy(money(captured))}</p>
          <label className={f.field}>
            {w.refundSum}
            <input
              inputMode="numeric"
              value={sum}
              onChange={({ target }) => setSum(target.value.replace(/\D/g, ''))}
            />
          </label>
        </Confirm>
      ) : null}
    </>
  );
}
