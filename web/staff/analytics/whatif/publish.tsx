import { useState } from 'react';
import { answer } from '../../../kit/api/answer';
import { Link } from '../../../kit/design/link';
import { useNavigate } from '../../../kit/router/router';
import { api, words } from '../../api/client';
import { useMay } from '../../me';
import { Action } from '../../parts/parts';
import type { Replay } from '../api/types';
import { whatIfTexts } from '../texts/ru';
import s from './trial.module.css';

/** The days of which the change keeps its effect. */
const days = 90;

/** Puts the rules of a run in force by a change, which names the run and keeps its effect on the last orders. */
export function PublishRules({ replay }: { replay: Replay }) {
  const mayPublish = useMay('rules.change');
  const mayMeasure = useMay('reports.see');
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const [made, setMade] = useState<{ id: string; waits: boolean }>();
  const rules = Object.entries(replay.rules ?? {});
  if (!mayPublish || rules.length === 0) return null;
  const publish = async (draft: boolean) => {
    if (busy) return;
    setBusy(true);
    setError('');
    try {
      const { id, status } = await answer(
        api.POST('/api/staff/changes/', {
          body: {
            title: whatIfTexts.publishOf(replay.id),
            reason: `${whatIfTexts.publishWhy} ${location.origin}/analytics/what-if/${replay.id}`,
            items: rules.map(([field, now]) => ({ thing: 'rules', id: 'rules', field, now })),
            ...(draft ? { draft } : {}),
            ...(mayMeasure ? { effect_days: days } : {}),
          },
        }),
      );
      if (draft && id) return navigate(`/admin/changes/${id}/preview`);
      setMade({ id: id ?? '', waits: status === 'waiting' });
    } catch (failure) {
      setError(words(failure));
    }
    setBusy(false);
  };
  return (
    <div className={s.running}>
      {made ? null : (
        <>
          <p>{whatIfTexts.publishHint}</p>
          <div className={s.choices}>
            <Action kind="strong" disabled={busy} onClick={() => publish(false)}>
              {whatIfTexts.publish}
            </Action>
            <Action disabled={busy} onClick={() => publish(true)}>
              {whatIfTexts.lookFirst}
            </Action>
          </div>
        </>
      )}
      <p role="status">
        {made ? (
          <>
            {made.waits ? whatIfTexts.publishWaits : whatIfTexts.publishDone}{' '}
            <Link to={`/admin/changes/${made.id}`}>{whatIfTexts.publishChange}</Link>
          </>
        ) : null}
      </p>
      <p role="alert" className={s.error}>
        {error}
      </p>
    </div>
  );
}
