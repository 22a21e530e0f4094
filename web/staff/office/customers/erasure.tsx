import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay, useMe } from '../../me';
import { Action, Confirm, Moment, Section } from '../../parts/parts';
import { save } from '../../parts/save';
import d from '../desk/desk.module.css';
import { WithReason } from '../desk/reason';
import {
  type CustomerSheet,
  confirmErasure,
  exportCustomer,
  proposeErasure,
  withdrawErasure,
} from './queries';
import { customerTexts as w } from './texts/ru';

/** What the law gives a person: all that is held of them, and that it is forgotten. The latter takes two of the staff. */
export function Erasure({ sheet: { account, erasure } }: { sheet: CustomerSheet }) {
  const client = useQueryClient();
  const me = useMe();
  const mayChange = useMay('customers.change');
  const seesPersons = useMay('personal.see');
  const mayExport = mayChange && seesPersons;
  const mayErase = useMay('personal.erase');
  const [asking, setAsking] = useState<'export' | 'propose' | 'confirm'>();
  const open = account.state === 'active';
  const renew = () => client.invalidateQueries({ queryKey: ['office'] });
  const close = () => setAsking(undefined);
  if (!mayExport && !mayErase && !erasure) return null;
  return (
    <Section title={w.law}>
      {account.state === 'leaving' ? <p className={d.told}>{w.leaving}</p> : null}
      {account.state === 'erased' ? <p className={d.told}>{w.isErased}</p> : null}
      {erasure ? (
        <div className={d.told}>
          <p>
            <b>{w.proposed}</b> {erasure.actor} · <Moment at={erasure.at} />
          </p>
          <p className={d.text}>{erasure.reason}</p>
          <p>{erasure.by === me.id ? w.yours : w.another}</p>
        </div>
      ) : null}
      <div className={d.actions}>
        {mayExport && open ? <Action onClick={() => setAsking('export')}>{w.export}</Action> : null}
        {mayErase && open && !erasure ? (
          <Action kind="danger" onClick={() => setAsking('propose')}>
            {w.propose}
          </Action>
        ) : null}
        {mayErase && erasure && erasure.by !== me.id ? (
          <Action kind="danger" onClick={() => setAsking('confirm')}>
            {w.confirm}
          </Action>
        ) : null}
        {mayErase && erasure ? (
          <Action onClick={() => withdrawErasure(account.id).then(renew, renew)}>{w.withdraw}</Action>
        ) : null}
      </div>
      {asking === 'export' ? (
        <WithReason
          title={w.exportTitle}
          label={w.exportReason}
          button={w.export}
          act={async (reason) => {
            const all = await exportCustomer(account.id, reason);
            save(`customer-${account.id}.json`, JSON.stringify(all, null, 2), 'application/json');
          }}
          close={close}
        >
          <p>{w.exportWhy}</p>
        </WithReason>
      ) : null}
      {asking === 'propose' ? (
        <WithReason
          title={w.proposeTitle}
          label={w.reason}
          button={w.propose}
          danger
          act={async (reason) => {
            await proposeErasure(account.id, reason);
            await renew();
          }}
          close={close}
        >
          <p>{w.proposeWhy}</p>
        </WithReason>
      ) : null}
      {asking === 'confirm' ? (
        <Confirm
          title={w.confirmTitle}
          button={w.confirm}
          danger
          act={async () => {
            await confirmErasure(account.id);
            await renew();
          }}
          close={close}
        >
          <p>{w.confirmWhy}</p>
        </Confirm>
      ) : null}
    </Section>
  );
}
