import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import f from '../../parts/field.module.css';
import { Action, Confirm } from '../../parts/parts';
import { adjustBonuses } from './queries';
import { customerTexts as w } from './texts/ru';

/** Adds bonuses by hand, or takes some, with a reason. */
export function Adjust({ id }: { id: string }) {
  const client = useQueryClient();
  // Of the adjustment: pressed twice it is made once.
  const [asking, setAsking] = useState<string>();
  const [sum, setSum] = useState('');
  const [take, setTake] = useState(false);
  const [reason, setReason] = useState('');
  return (
    <>
      <Action onClick={() => setAsking(crypto.randomUUID())}>{w.adjust}</Action>
      {asking ? (
        <Confirm
          title={w.adjustTitle}
          button={take ? w.take : w.give}
          danger={take}
          disabled={!/^[1-9]\d*$/.test(sum) || !reason.trim()}
          act={async () => {
            await adjustBonuses(id, asking, take ? -Number(sum) : Number(sum), reason.trim());
            await client.invalidateQueries({ queryKey: ['office'] });
            setSum('');
            setReason('');
          }}
          close={() => setAsking(undefined)}
        >
          <p>{w.adjustWhy}</p>
          <label className={f.field}>
            {w.what2}
            <select
              value={take ? 'take' : 'give'}
              onChange={({ target }) => setTake(target.value === 'take')}
            >
              <option value="give">{w.give}</option>
              <option value="take">{w.take}</option>
            </select>
          </label>
          <label className={f.field}>
            {w.howMany}
            <input
              inputMode="numeric"
              value={sum}
              maxLength={7}
              onChange={({ target }) => setSum(target.value.replace(/\D/g, ''))}
            />
          </label>
          <label className={f.field}>
            {w.reason}
            <input value={reason} maxLength={500} onChange={({ target }) => setReason(target.value)} />
          </label>
        </Confirm>
      ) : null}
    </>
  );
}
