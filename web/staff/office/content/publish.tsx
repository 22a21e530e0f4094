import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import { useNavigate } from '../../../kit/router/router';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import { useMerging } from '../changes/merge';
import d from '../desk/desk.module.css';
import { type Proposal, previewOf } from '../products/changes';
import s from './content.module.css';
import { publishTexts as w } from './texts/ru';

/** Puts into effect what was written: at once, at a moment, or when it was looked at on the pages of the shop. */
export function Publish({
  proposal,
  published,
  disabled = false,
  button = w.publish,
  kind = 'strong',
  onSite = true,
  children,
}: {
  /** What to propose for a moment. */
  proposal: (at: string) => Proposal | Promise<Proposal>;
  /** Called when it is in effect, and the screens have been asked for again. */
  published?: (proposal: Proposal) => unknown;
  disabled?: boolean;
  /** How its button looks: strong for what the screen is there for. */
  kind?: 'strong' | 'soft';
  button?: string;
  /** Whether pages of the shop show it, so that it can be looked at there first. */
  onSite?: boolean;
  children?: React.ReactNode;
}) {
  const client = useQueryClient();
  const { merge, dialog } = useMerging();
  const navigate = useNavigate();
  const [at, setAt] = useState('');
  const [busy, setBusy] = useState(false);
  const [told, setTold] = useState<{ text: string; change?: string }>();
  const [failed, setFailed] = useState('');
  const submit = async (draft: boolean) => {
    if (busy) return;
    setBusy(true);
    setFailed('');
    setTold(undefined);
    try {
      const asked = { ...(await proposal(at)), ...(draft ? { draft } : {}) };
      const made = await merge(asked);
      if (draft && made?.id) return navigate(previewOf(made.id));
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
      if (status !== 'waiting' && !at) await published?.(asked);
    } catch (error) {
      setFailed(words(error));
    }
    setBusy(false);
  };
  return (
    <div className={s.publish}>
      {dialog}
      <label className={f.field}>
        {w.at}
        <input type="datetime-local" value={at} onChange={({ target }) => setAt(target.value)} />
      </label>
      <div className={d.actions}>
        <Action kind={kind} disabled={disabled || busy} onClick={() => submit(false)}>
          {button}
        </Action>
        {onSite ? (
          <Action disabled={disabled || busy} onClick={() => submit(true)}>
            {w.lookFirst}
          </Action>
        ) : null}
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
