import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { Problem } from '../../src/api/problem';
import { Link } from '../../src/design/link';
import { remove, words } from '../../staff/api/client';
import { count, exact, moment } from '../../staff/parts/format';
import { Mark } from '../../staff/parts/mark';
import { Action, Head, Loaded, Nothing, Progress } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import { queries } from '../api/queries';
import type { Replay } from '../api/types';
import { Result } from './outcome';
import s from './trial.module.css';
import { states } from './trials';

const goesOn = ({ state }: Replay) => state === 'queued' || state === 'running';

export function TrialPage() {
  const { id = '' } = useParams();
  const found = useQuery({
    ...queries.replay(id),
    refetchInterval: ({ state: { data } }) => (data && goesOn(data) ? 700 : false),
  });
  if (found.error instanceof Problem && found.error.status === 404)
    return (
      <>
        <Head title="What if" />
        <Nothing title="There is no such trial">It was never made, or the link is not whole.</Nothing>
      </>
    );
  const replay = found.data;
  return (
    <>
      <Head
        title="What if"
        lead={
          replay ? (
            <>
              As of log position <b>{count(replay.position)}</b>; tried by {replay.created_by},{' '}
              <time dateTime={replay.created_at} title={exact(replay.created_at)}>
                {moment(replay.created_at)}
              </time>
            </>
          ) : null
        }
      >
        <Link className={t.link} to={`/analytics/what-if?from=${encodeURIComponent(id)}`}>
          Try others, beginning with these
        </Link>
      </Head>
      <Loaded query={found} what="The trial">
        {(replay) => (
          <>
            <p role="status" className={s.state}>
              <Mark tone={states[replay.state].tone}>{states[replay.state].word}</Mark>
            </p>
            {goesOn(replay) ? <Running replay={replay} /> : null}
            {replay.state === 'failed' ? <p className={s.said}>{replay.error || 'It failed.'}</p> : null}
            {replay.state === 'cancelled' ? (
              <p className={s.said}>
                It was cancelled before it was done. Try the same rules again to have it.
              </p>
            ) : null}
            {replay.report ? <Result outcome={replay.report} /> : null}
          </>
        )}
      </Loaded>
    </>
  );
}

/** The share of a trial that goes by before all is read; pricing takes the rest. */
const reading = 0.98;

function Running({ replay }: { replay: Replay }) {
  const client = useQueryClient();
  const [error, setError] = useState('');
  const { stage, done, of } = replay.progress;
  const part = of > 0 ? done / of : 0;
  const value = stage === 'read' ? reading * part : reading + (1 - reading) * part;
  const text =
    replay.state === 'queued'
      ? 'Waits for another to end.'
      : stage === 'read'
        ? `Reading the log: ${Math.floor(100 * part)} %`
        : `Pricing: ${count(done)} of ${count(of)} orders and baskets`;
  const cancel = async () => {
    setError('');
    try {
      await remove(`/api/analytics/replays/${encodeURIComponent(replay.id)}/`);
    } catch (failure) {
      // One that was done meanwhile cannot be cancelled; the page shows it next.
      if (!(failure instanceof Problem && failure.status === 409)) setError(words(failure));
    }
    client.invalidateQueries({ queryKey: queries.replay(replay.id).queryKey });
  };
  return (
    <div className={s.running}>
      <Progress value={replay.state === 'queued' ? 0 : value} label="Progress" text={text} />
      <Action onClick={cancel}>Cancel</Action>
      <p role="alert" className={s.error}>
        {error}
      </p>
    </div>
  );
}
