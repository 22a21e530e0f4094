import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { classes } from '../../src/design/classes';
import { Link } from '../../src/design/link';
import { post } from '../../staff/api/client';
import { useMay } from '../../staff/me';
import { count, counted } from '../../staff/parts/format';
import { Mark } from '../../staff/parts/mark';
import { Action, Failed, Head, Loaded, Loading, Moment, Nothing, Section } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import x from '../../staff/parts/text.module.css';
import { queries } from '../api/queries';
import type { DeadLetter, Action as Done, DryRun } from '../api/types';
import { usePolling } from '../live';
import s from './dead-letters.module.css';
import { Retry } from './retry';

/** Events that a projection could not fold. Their streams wait in that projection; all others go on. */
export function DeadLetters() {
  const [search, setSearch] = useSearchParams();
  const projection = search.get('projection') ?? '';
  const every = usePolling();
  const found = useQuery({ ...queries.deadLetters(projection), refetchInterval: every });
  const projections = useQuery(queries.projections());
  const names = new Set([
    ...(projections.data?.projections.map(({ name }) => name) ?? []),
    ...(projection ? [projection] : []),
  ]);
  return (
    <>
      <Head
        title="Dead letters"
        lead="An event that fails parks its stream in that projection. Everything else goes on."
      >
        <label className={s.choose}>
          Projection
          <select
            value={projection}
            onChange={(event) =>
              setSearch(event.target.value ? { projection: event.target.value } : {}, { replace: true })
            }
          >
            <option value="">all</option>
            {[...names].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </Head>
      <Loaded query={found} what="The dead letters" loading={<Loading rows={4} height={88} />}>
        {({ letters }) =>
          letters.length === 0 ? (
            <Nothing title="No dead letters">
              {projection
                ? `Every event was folded into ${projection}.`
                : 'Every event was folded by every projection.'}
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

/** What waits in one projection, in the order it would be tried again. */
function Parked({ projection, letters }: { projection: string; letters: DeadLetter[] }) {
  const may = useMay('projections.run');
  const [retrying, setRetrying] = useState<string[]>();
  const [trial, setTrial] = useState<{ busy: boolean; error?: unknown; told?: DryRun }>();
  const dryRun = async () => {
    setTrial({ busy: true });
    try {
      const told = await post<DryRun>(`/api/ops/deadletters/${encodeURIComponent(projection)}/dry-run`, {});
      setTrial({ busy: false, told });
    } catch (error) {
      setTrial({ busy: false, error });
    }
  };
  const streams = new Set(letters.map(({ stream }) => stream));
  return (
    <Section
      title={projection}
      aside={
        may ? (
          <div className={t.buttons}>
            <Action kind="plain" onClick={dryRun} aria-disabled={trial?.busy}>
              {trial?.busy ? 'Trying…' : 'Dry-run'}
            </Action>
            <Action onClick={() => setRetrying([])}>Retry all</Action>
          </div>
        ) : null
      }
    >
      <p className={s.about}>
        {counted(letters.length, 'event')} in {counted(streams.size, 'stream')}.
        {may ? '' : ' Retrying and skipping need the permission projections.run.'}
      </p>
      <div role="status" className={s.trial}>
        {trial?.told ? <Trial told={trial.told} /> : null}
      </div>
      {trial?.error ? <Failed error={trial.error} retry={dryRun} what="The dry-run" /> : null}
      <table className={classes(t.table, t.cards)}>
        <thead>
          <tr>
            <th scope="col">Position</th>
            <th scope="col">Event</th>
            <th scope="col">Error</th>
            <th scope="col" className={t.number}>
              Attempts
            </th>
            <th scope="col">Parked</th>
            <th scope="col">Tried</th>
            {may ? (
              <th scope="col">
                <span className={x.hidden}>Actions</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {letters.map((letter) => (
            <tr key={letter.position}>
              <th scope="row">
                <Link
                  className={t.link}
                  to={`/ops/dead-letters/${encodeURIComponent(projection)}/${letter.position}`}
                >
                  {count(letter.position)}
                </Link>
              </th>
              <td data-label="Event">
                <div>
                  {letter.type}
                  <span className={t.sub}>
                    {letter.stream} version {count(letter.version)}
                  </span>
                </div>
              </td>
              <td data-label="Error">
                {letter.error ? (
                  <span className={s.error}>{letter.error}</span>
                ) : (
                  <span className={s.waits}>waits behind an earlier event of its stream</span>
                )}
              </td>
              <td data-label="Attempts" className={t.number}>
                {count(letter.attempts)}
              </td>
              <td data-label="Parked">
                <Moment at={letter.parked_at} />
              </td>
              <td data-label="Tried">
                {letter.retry ? <Mark tone="busy">Being retried</Mark> : <Moment at={letter.tried_at} />}
              </td>
              {may ? (
                <td data-label="">
                  <div className={t.buttons}>
                    <Action
                      onClick={() => setRetrying([letter.stream])}
                      aria-label={`Retry stream ${letter.stream}`}
                      disabled={letter.retry}
                    >
                      Retry stream
                    </Action>
                  </div>
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
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

/** What a retry would come to. */
export function Trial({ told: { results, more } }: { told: DryRun }) {
  const good = results.filter(({ ok }) => ok).length;
  return (
    <div className={s.results}>
      <p>
        <b>
          A retry would fold {count(good)} of {counted(results.length, 'event')}.
        </b>{' '}
        Nothing was changed.{more ? ' More are parked than were tried.' : ''}
      </p>
      <ul>
        {results.map((one) => (
          <li key={one.position}>
            <Mark tone={one.ok ? 'good' : one.error ? 'bad' : 'rest'}>
              {one.ok ? 'Would pass' : one.error ? 'Would fail' : 'Not reached'}
            </Mark>
            <span>
              {count(one.position)} {one.type}
              <span className={t.sub}>
                {one.stream}
                {one.error ? `: ${one.error}` : ''}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function History({ projection }: { projection: string }) {
  const found = useQuery({ ...queries.letterHistory(projection), refetchInterval: usePolling() });
  return (
    <Section title="Who did what">
      <Loaded query={found} what="The history" loading={<Loading rows={2} height={52} />}>
        {({ actions }) =>
          actions.length === 0 ? (
            <p className={s.about}>Nothing was retried or skipped yet.</p>
          ) : (
            <table className={classes(t.table, t.cards)}>
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">Who</th>
                  <th scope="col">What</th>
                  <th scope="col">Why</th>
                </tr>
              </thead>
              <tbody>
                {actions.map((action) => (
                  <tr key={action.id}>
                    <td data-label="When">
                      <Moment at={action.at} />
                    </td>
                    <td data-label="Who">{action.actor}</td>
                    <td data-label="What">
                      <span>{did(action)}</span>
                    </td>
                    <td data-label="Why">{action.reason || '—'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </Section>
  );
}

function did({ action, projection, position, streams, events }: Done): string {
  if (action === 'skip') return `Skipped event ${position === null ? '' : count(position)} in ${projection}`;
  const which = streams.length === 0 ? 'all streams' : streams.join(', ');
  return `Retried ${counted(events, 'event')} of ${which} in ${projection}`;
}
