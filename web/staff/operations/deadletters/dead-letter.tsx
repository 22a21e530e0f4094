import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { Link } from '../../../kit/design/link';
import { useParams } from '../../../kit/router/router';
import t from '../../../kit/table/table.module.css';
import { useMay } from '../../me';
import { count } from '../../parts/format';
import {
  Action,
  Fact,
  Facts,
  Head,
  Json,
  Loaded,
  Loading,
  MaskedNote,
  Moment,
  Nothing,
  Section,
} from '../../parts/parts';
import { queries } from '../api/queries';
import type { OneDeadLetter } from '../api/types';
import { usePolling } from '../live';
import { EventFacts } from '../log/event';
import { letterTexts } from '../texts/ru';
import s from './dead-letters.module.css';
import { Retry, Skip } from './retry';
import { DryRunButton, TrialResult, useDryRun } from './trial';

/** One dead letter: what failed, on what, and the ways out. */
export function DeadLetterPage() {
  const { projection = '', position = '' } = useParams();
  const found = useQuery({ ...queries.deadLetter(projection, position), refetchInterval: usePolling() });
  const back = (
    <p className={s.back}>
      <Link className={t.link} to="/ops/dead-letters">
        {letterTexts.all}
      </Link>
    </p>
  );
  if (found.error instanceof Problem && found.error.status === 404) {
    return (
      <>
        {back}
        <Nothing title={letterTexts.gone}>{letterTexts.goneWhy}</Nothing>
      </>
    );
  }
  return (
    <>
      {back}
      <Loaded
        query={found}
        what={letterTexts.whatOne}
        loading={
          <>
            <Head title={letterTexts.eventAt(position)} />
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
  const trial = useDryRun(letter.projection, [letter.stream]);
  return (
    <>
      <Head
        title={letterTexts.eventAt(count(letter.position))}
        lead={letterTexts.parkedIn(letter.projection)}
      >
        {may ? (
          <>
            <DryRunButton trial={trial} />
            <Action onClick={() => setAsked('retry')} disabled={letter.retry}>
              {letter.retry ? letterTexts.beingRetried : letterTexts.retryStream}
            </Action>
            <Action kind="danger" onClick={() => setAsked('skip')}>
              {letterTexts.skip}
            </Action>
          </>
        ) : null}
      </Head>
      {may ? null : <p className={s.about}>{letterTexts.actNeeds}</p>}
      <p className={s.reason}>{letter.error || letterTexts.waitsLong}</p>
      <TrialResult trial={trial} />
      <Facts>
        <Fact label={letterTexts.attempts}>{count(letter.attempts)}</Fact>
        <Fact label={letterTexts.parkedAt}>
          <Moment at={letter.parked_at} />
        </Fact>
        <Fact label={letterTexts.triedLast}>
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
