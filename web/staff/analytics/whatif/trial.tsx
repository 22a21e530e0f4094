import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { done } from '../../../kit/api/answer';
import { Problem } from '../../../kit/api/problem';
import { Link } from '../../../kit/design/link';
import { useParams } from '../../../kit/router/router';
import t from '../../../kit/table/table.module.css';
import { Rich } from '../../../kit/texts/rich';
import { api, words } from '../../api/client';
import { count, exact, moment } from '../../parts/format';
import { Mark } from '../../parts/mark';
import { Action, Head, Loaded, Nothing, Progress } from '../../parts/parts';
import { queries } from '../api/queries';
import type { Replay } from '../api/types';
import { screenTexts, whatIfTexts } from '../texts/ru';
import { Result } from './outcome';
import { PublishRules } from './publish';
import s from './trial.module.css';
import { tones } from './trials';

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
        <Head title={screenTexts.whatIf} />
        <Nothing title={whatIfTexts.noSuch}>{whatIfTexts.noSuchWhy}</Nothing>
      </>
    );
  const replay = found.data;
  return (
    <>
      <Head
        title={screenTexts.whatIf}
        lead={
          replay ? (
            <Rich
              text={whatIfTexts.asOf(count(replay.position), replay.created_by)}
              parts={[
                <time key="at" dateTime={replay.created_at} title={exact(replay.created_at)}>
                  {moment(replay.created_at)}
                </time>,
              ]}
            />
          ) : null
        }
      >
        <Link className={t.link} to={`/analytics/what-if?from=${encodeURIComponent(id)}`}>
          {whatIfTexts.others2}
        </Link>
      </Head>
      <Loaded query={found} what={whatIfTexts.whatOne}>
        {(replay) => (
          <>
            <p role="status" className={s.state}>
              <Mark tone={tones[replay.state]}>{whatIfTexts.states[replay.state]}</Mark>
            </p>
            {goesOn(replay) ? <Running replay={replay} /> : null}
            {replay.state === 'failed' ? (
              <p className={s.said}>{replay.error || whatIfTexts.failed}</p>
            ) : null}
            {replay.state === 'cancelled' ? <p className={s.said}>{whatIfTexts.cancelledWhy}</p> : null}
            {replay.report ? (
              <>
                <PublishRules replay={replay} />
                <Result outcome={replay.report} />
              </>
            ) : null}
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
  const { stage, done: finished, of } = replay.progress;
  const part = of > 0 ? finished / of : 0;
  const value = stage === 'read' ? reading * part : reading + (1 - reading) * part;
  const text =
    replay.state === 'queued'
      ? whatIfTexts.queued
      : stage === 'read'
        ? whatIfTexts.reading(Math.floor(100 * part))
        : whatIfTexts.pricing(count(finished), count(of));
  const cancel = async () => {
    setError('');
    try {
      await done(api.DELETE('/api/analytics/replays/{id}/', { params: { path: { id: replay.id } } }));
    } catch (failure) {
      // One that was done meanwhile cannot be cancelled; the page shows it next.
      if (!(failure instanceof Problem && failure.status === 409)) setError(words(failure));
    }
    client.invalidateQueries({ queryKey: queries.replay(replay.id).queryKey });
  };
  return (
    <div className={s.running}>
      <Progress value={replay.state === 'queued' ? 0 : value} label={whatIfTexts.progress} text={text} />
      <Action onClick={cancel}>{whatIfTexts.cancel}</Action>
      <p role="alert" className={s.error}>
        {error}
      </p>
    </div>
  );
}
