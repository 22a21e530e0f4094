import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { Problem } from '../../src/api/problem';
import { Link } from '../../src/design/link';
import { post } from '../../staff/api/client';
import { useMay } from '../../staff/me';
import { count } from '../../staff/parts/format';
import {
  Action,
  Fact,
  Facts,
  Failed,
  Head,
  Json,
  Loaded,
  Loading,
  MaskedNote,
  Moment,
  Nothing,
  Section,
} from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import { queries } from '../api/queries';
import type { DryRun, OneDeadLetter } from '../api/types';
import { usePolling } from '../live';
import { EventFacts } from '../log/event';
import { Trial } from './dead-letters';
import s from './dead-letters.module.css';
import { Retry, Skip } from './retry';

/** One dead letter: what failed, on what, and the ways out. */
export function DeadLetterPage() {
  const { projection = '', position = '' } = useParams();
  const found = useQuery({ ...queries.deadLetter(projection, position), refetchInterval: usePolling() });
  const back = (
    <p className={s.back}>
      <Link className={t.link} to="/ops/dead-letters">
        All dead letters
      </Link>
    </p>
  );
  if (found.error instanceof Problem && found.error.status === 404) {
    return (
      <>
        {back}
        <Nothing title="It is no dead letter any more">
          It was folded by a retry, or skipped. See who did what.
        </Nothing>
      </>
    );
  }
  return (
    <>
      {back}
      <Loaded
        query={found}
        what="The dead letter"
        loading={
          <>
            <Head title={`Event ${position}`} />
            <Loading rows={4} height={80} />
          </>
        }
      >
        {(letter) => <Detail letter={letter} />}
      </Loaded>
    </>
  );
}

function Detail({ letter }: { letter: OneDeadLetter }) {
  const may = useMay('projections.run');
  const [asked, setAsked] = useState<'retry' | 'skip'>();
  const [trial, setTrial] = useState<{ busy: boolean; error?: unknown; told?: DryRun }>();
  const dryRun = async () => {
    setTrial({ busy: true });
    try {
      const path = `/api/ops/deadletters/${encodeURIComponent(letter.projection)}/dry-run`;
      setTrial({ busy: false, told: await post<DryRun>(path, { streams: [letter.stream] }) });
    } catch (error) {
      setTrial({ busy: false, error });
    }
  };
  return (
    <>
      <Head title={`Event ${count(letter.position)}`} lead={`Parked in ${letter.projection}`}>
        {may ? (
          <>
            <Action kind="plain" onClick={dryRun} aria-disabled={trial?.busy}>
              {trial?.busy ? 'Trying…' : 'Dry-run'}
            </Action>
            <Action onClick={() => setAsked('retry')} disabled={letter.retry}>
              {letter.retry ? 'Being retried' : 'Retry stream'}
            </Action>
            <Action kind="danger" onClick={() => setAsked('skip')}>
              Skip…
            </Action>
          </>
        ) : null}
      </Head>
      {may ? null : <p className={s.about}>Retrying and skipping need the permission projections.run.</p>}
      <p className={s.reason}>
        {letter.error || 'It did not fail: it waits behind an earlier event of its stream.'}
      </p>
      <div role="status" className={s.trial}>
        {trial?.told ? <Trial told={trial.told} /> : null}
      </div>
      {trial?.error ? <Failed error={trial.error} retry={dryRun} what="The dry-run" /> : null}
      <Facts>
        <Fact label="Attempts">{count(letter.attempts)}</Fact>
        <Fact label="Parked">
          <Moment at={letter.parked_at} />
        </Fact>
        <Fact label="Tried last">
          <Moment at={letter.tried_at} />
        </Fact>
      </Facts>
      <Section title={letter.type}>
        <EventFacts event={letter.event} />
        <Json value={letter.event.data} />
        <MaskedNote value={letter.event.data} />
      </Section>
      {asked === 'retry' ? (
        <Retry
          projection={letter.projection}
          letters={[letter]}
          streams={[letter.stream]}
          close={() => setAsked(undefined)}
        />
      ) : null}
      {asked === 'skip' ? <Skip letter={letter} close={() => setAsked(undefined)} /> : null}
    </>
  );
}
