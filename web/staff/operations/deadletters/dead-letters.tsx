import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import { useSearchParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { useMay } from '../../me';
import { count } from '../../parts/format';
import { Mark } from '../../parts/mark';
import { Action, Head, Loaded, Loading, Moment, Nothing, Section } from '../../parts/parts';
import { countTexts, partsTexts } from '../../texts/ru';
import { queries } from '../api/queries';
import type { DeadLetter, Action as Done } from '../api/types';
import { usePolling } from '../live';
import { letterTexts } from '../texts/ru';
import s from './dead-letters.module.css';
import { Retry } from './retry';
import { DryRunButton, TrialResult, useDryRun } from './trial';

/** Events that a projection could not fold. Their streams wait in that projection; all others go on. */
export function DeadLetters() {
  const [search] = useSearchParams();
  const projection = search.get('projection') ?? '';
  const found = useQuery({ ...queries.deadLetters(projection), refetchInterval: usePolling() });
  return (
    <>
      <Head title={letterTexts.title} lead={letterTexts.lead}>
        <Choose projection={projection} />
      </Head>
      <Loaded query={found} what={letterTexts.what} loading={<Loading rows={4} height={88} />}>
        {({ letters }) =>
          letters.length === 0 ? (
            <Nothing title={letterTexts.none}>
              {projection ? letterTexts.noneIn(projection) : letterTexts.noneAnywhere}
            </Nothing>
          ) : (
            [...new Set(letters.map((letter) => letter.projection))].map((name) => (
              <Parked
                key={name}
                projection={name}
                letters={letters.filter((letter) => letter.projection === name)}
              />
            ))
          )
        }
      </Loaded>
      <History projection={projection} />
    </>
  );
}

/** Narrows the list to a projection; the choice stands in the address. */
function Choose({ projection }: { projection: string }) {
  const [, setSearch] = useSearchParams();
  const projections = useQuery(queries.projections());
  const names = new Set([
    ...(projections.data?.projections.map(({ name }) => name) ?? []),
    ...(projection ? [projection] : []),
  ]);
  return (
    <label className={s.choose}>
      {letterTexts.projection}
      <select
        value={projection}
        onChange={({ target }) =>
          setSearch(target.value ? { projection: target.value } : {}, { replace: true })
        }
      >
        <option value="">{letterTexts.everyProjection}</option>
        {[...names].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** What waits in one projection, in the order it would be tried again. */
function Parked({ projection, letters }: { projection: string; letters: DeadLetter[] }) {
  const may = useMay('projections.run');
  const [retrying, setRetrying] = useState<string[]>();
  const trial = useDryRun(projection);
  const streams = new Set(letters.map(({ stream }) => stream));
  return (
    <Section
      title={projection}
      aside={
        may ? (
          <div className={t.buttons}>
            <DryRunButton trial={trial} />
            <Action onClick={() => setRetrying([])}>{letterTexts.retryAll}</Action>
          </div>
        ) : null
      }
    >
      <p className={s.about}>
        {letterTexts.parked(countTexts.events(letters.length), countTexts.streams(streams.size))}
        {may ? '' : ` ${letterTexts.actNeeds}`}
      </p>
      <TrialResult trial={trial} />
      <Table
        caption={letterTexts.tableOf(projection)}
        columns={[...columns(), ...(may ? [actions((stream) => setRetrying([stream]))] : [])]}
        rows={letters}
        rowKey={({ position }) => position}
        cards
      />
      {retrying ? (
        <Retry
          projection={projection}
          letters={letters}
          streams={retrying}
          close={() => setRetrying(undefined)}
        />
      ) : null}
    </Section>
  );
}

const columns = (): Column<DeadLetter>[] => [
  {
    key: 'position',
    title: letterTexts.position,
    head: true,
    cell: ({ projection, position }) => (
      <Link className={t.link} to={`/ops/dead-letters/${encodeURIComponent(projection)}/${position}`}>
        {count(position)}
      </Link>
    ),
  },
  {
    key: 'event',
    title: letterTexts.event,
    cell: ({ type, stream, version }) => (
      <div>
        {type}
        <span className={t.sub}>
          {stream} {letterTexts.version(count(version))}
        </span>
      </div>
    ),
  },
  {
    key: 'error',
    title: letterTexts.error,
    cell: ({ error }) =>
      error ? <span className={s.error}>{error}</span> : <span className={s.waits}>{letterTexts.waits}</span>,
  },
  { key: 'attempts', title: letterTexts.attempts, number: true, cell: ({ attempts }) => count(attempts) },
  { key: 'parked', title: letterTexts.parkedAt, cell: ({ parked_at }) => <Moment at={parked_at} /> },
  {
    key: 'tried',
    title: letterTexts.tried,
    cell: ({ retry, tried_at }) =>
      retry ? <Mark tone="busy">{letterTexts.beingRetried}</Mark> : <Moment at={tried_at} />,
  },
];

const actions = (retryOf: (stream: string) => void): Column<DeadLetter> => ({
  key: 'actions',
  title: partsTexts.actions,
  actions: true,
  cell: ({ stream, retry }) => (
    <div className={t.buttons}>
      <Action onClick={() => retryOf(stream)} aria-label={letterTexts.retryOf(stream)} disabled={retry}>
        {letterTexts.retryStream}
      </Action>
    </div>
  ),
});

const historyColumns = (): Column<Done>[] => [
  { key: 'when', title: letterTexts.when, cell: ({ at }) => <Moment at={at} /> },
  { key: 'who', title: letterTexts.who, cell: ({ actor }) => actor },
  { key: 'what', title: letterTexts.did, cell: (action) => <span>{did(action)}</span> },
  { key: 'why', title: letterTexts.why, cell: ({ reason }) => reason || '—' },
];

function History({ projection }: { projection: string }) {
  const found = useQuery({ ...queries.letterHistory(projection), refetchInterval: usePolling() });
  return (
    <Section title={letterTexts.history}>
      <Loaded query={found} what={letterTexts.whatHistory} loading={<Loading rows={2} height={52} />}>
        {({ actions }) => (
          <Table
            caption={letterTexts.history}
            columns={historyColumns()}
            rows={actions}
            rowKey={({ id }) => id}
            cards
            empty={<p className={s.about}>{letterTexts.noHistory}</p>}
          />
        )}
      </Loaded>
    </Section>
  );
}

function did({ action, projection, position, streams, events }: Done): string {
  if (action === 'skip') return letterTexts.skipped(position === null ? '' : count(position), projection);
  const which = streams.length === 0 ? letterTexts.allStreams : streams.join(', ');
  return letterTexts.retried(countTexts.events(events), which, projection);
}
