import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import d from '../desk/desk.module.css';
import type { Accepted } from '../products/changes';
import s from './content.module.css';
import { publishTexts as w } from './texts/ru';

/** Puts into effect what was written: at once, or at a moment. */
export function Publish({
  act,
  disabled = false,
  button = w.publish,
  kind = 'strong',
  children,
}: {
  /** Proposes the change; undefined: there is nothing to change. */
  act: (at: string) => Promise<Accepted | undefined>;
  disabled?: boolean;
  /** How its button looks: strong for what the screen is there for. */
  kind?: 'strong' | 'soft';
  button?: string;
  children?: React.ReactNode;
}) {
  const client = useQueryClient();
  const [at, setAt] = useState('');
  const [busy, setBusy] = useState(false);
  const [told, setTold] = useState<{ text: string; change?: string }>();
  const [failed, setFailed] = useState('');
  const submit = async () => {
    if (busy) return;
    setBusy(true);
    setFailed('');
    setTold(undefined);
    try {
      const made = await act(at);
      const status = made?.status;
      setTold({
        text: !made
          ? w.nothing
          : status === 'waiting'
            ? w.waits
            : status === 'planned'
              ? w.scheduled
              : w.published,
        ...(made?.id ? { change: made.id } : {}),
      });
      setAt('');
      await client.invalidateQueries({ queryKey: ['office'] });
    } catch (error) {
      setFailed(words(error));
    }
    setBusy(false);
  };
  return (
    <div className={s.publish}>
      <label className={f.field}>
        {w.at}
        <input type="datetime-local" value={at} onChange={({ target }) => setAt(target.value)} />
      </label>
      <div className={d.actions}>
        <Action kind={kind} disabled={disabled || busy} onClick={submit}>
          {button}
        </Action>
        {children}
      </div>
      <p role="status" className={d.told}>
        {told?.text}
        {told?.change ? (
          <>
            {' '}
            <Link to={`/admin/changes/${told.change}`}>{w.change}</Link>
          </>
        ) : null}
      </p>
      <p role="alert" className={d.failed}>
        {failed}
      </p>
    </div>
  );
}
