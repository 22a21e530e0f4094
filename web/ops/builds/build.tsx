import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useParams } from 'react-router';
import { Problem } from '../../src/api/problem';
import { classes } from '../../src/design/classes';
import { Icon } from '../../src/design/icon';
import { Link } from '../../src/design/link';
import { post } from '../../staff/api/client';
import { useMay } from '../../staff/me';
import { count, counted, duration, rate } from '../../staff/parts/format';
import { Mark } from '../../staff/parts/mark';
import {
  Action,
  Confirm,
  Fact,
  Facts,
  Head,
  Loaded,
  Loading,
  Moment,
  Nothing,
  Scroll,
  Section,
} from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import x from '../../staff/parts/text.module.css';
import { queries } from '../api/queries';
import type { Build, Difference, Differences } from '../api/types';
import { usePolling } from '../live';
import s from './build.module.css';
import { BuildProgress } from './build-progress';
import { took } from './builds';
import { buildStates, differing, kinds, phases, phasesOf } from './words';

/** One build: where it is, what it found, and what can be done with it. */
export function BuildPage() {
  const { id = '' } = useParams();
  const found = useQuery({ ...queries.build(id), refetchInterval: usePolling() });
  if (found.error instanceof Problem && found.error.status === 404) {
    return (
      <Nothing title="There is no such build">
        <Link className={t.link} to="/ops/builds">
          All builds
        </Link>
      </Nothing>
    );
  }
  return (
    <Loaded
      query={found}
      what="The build"
      loading={
        <>
          <Head title="Build" />
          <Loading rows={5} height={72} />
        </>
      }
    >
      {(build) => <Detail build={build} />}
    </Loaded>
  );
}

type What = 'pause' | 'resume' | 'cancel' | 'swap';

function Detail({ build }: { build: Build }) {
  const may = useMay('projections.run');
  const [asked, setAsked] = useState<What>();
  const { tone, word } = buildStates[build.state];
  const over = build.finished_at !== null;
  return (
    <>
      <p className={s.back}>
        <Link className={t.link} to="/ops/builds">
          All builds
        </Link>
      </p>
      <Head
        title={`${kinds[build.kind]} of ${build.projection}`}
        lead={
          <span role="status">
            <Mark tone={tone}>{word}</Mark>
          </span>
        }
      >
        {may && !over ? (
          <>
            {build.state === 'paused' ? (
              <Action onClick={() => setAsked('resume')}>Resume</Action>
            ) : (
              <Action
                onClick={() => setAsked('pause')}
                disabled={build.state === 'ready' || build.state === 'swapping'}
                title={build.state === 'ready' ? 'It waits already: for the swap.' : undefined}
              >
                Pause
              </Action>
            )}
            <Action onClick={() => setAsked('cancel')} disabled={build.state === 'swapping'}>
              Cancel
            </Action>
            {build.kind === 'rebuild' ? (
              <Action
                kind="strong"
                onClick={() => setAsked('swap')}
                disabled={build.state !== 'ready'}
                title={build.state === 'ready' ? undefined : 'It can be swapped once it was compared.'}
              >
                Swap
              </Action>
            ) : null}
          </>
        ) : null}
      </Head>
      {may || over ? null : (
        <p className={s.note}>Your role may look, not act: this needs the permission projections.run.</p>
      )}
      {build.error ? (
        <p className={s.error} role="alert">
          <b>{build.state === 'failed' ? 'It failed.' : 'The last trouble.'}</b> {build.error}
        </p>
      ) : null}
      <div className={s.progress}>
        <BuildProgress build={build} />
      </div>
      <Steps build={build} />
      <Facts>
        <Fact label="Events folded">{count(build.events)}</Fact>
        <Fact label="Goes to position">{count(build.position)}</Fact>
        <Fact label="Events a second">{rate(build.rate)}</Fact>
        <Fact label="Left">
          {over || build.state === 'ready'
            ? '—'
            : build.eta_seconds === null
              ? 'not known yet'
              : duration(build.eta_seconds)}
        </Fact>
        <Fact label="Started">
          <Moment at={build.started_at} />
        </Fact>
        <Fact label={over ? 'Finished' : 'Updated'}>
          <Moment at={build.finished_at ?? build.updated_at} />
        </Fact>
        <Fact label={over ? 'Took' : 'Runs for'}>{duration(took(build))}</Fact>
        <Fact label="Swap held its lock">
          {build.swap_lock_seconds === null ? '—' : duration(build.swap_lock_seconds)}
        </Fact>
        <Fact label="Schema">{build.schema}</Fact>
        <Fact label="Worked on by">{build.holder ?? 'nobody'}</Fact>
        <Fact label="Asked for by">{build.actor || '—'}</Fact>
      </Facts>
      {build.kind === 'as-of' ? null : <Compared differences={build.differences} over={over} />}
      {asked ? <Asked what={asked} build={build} close={() => setAsked(undefined)} /> : null}
    </>
  );
}

/** The phases in order; the one it is in is marked by more than colour. */
function Steps({ build }: { build: Build }) {
  const steps = phasesOf[build.kind];
  // What is ready was verified: the swap is next.
  const phase = build.state === 'ready' ? 'swap' : build.phase;
  const at = steps.indexOf(phase);
  const done = build.state === 'done';
  return (
    <ol className={s.steps} aria-label="Phases">
      {steps.map((step, index) => {
        const passed = done || index < at;
        const now = !done && index === at;
        return (
          <li
            key={step}
            className={classes(s.step, passed && s.passed, now && s.now)}
            aria-current={now ? 'step' : undefined}
          >
            <span className={s.dot}>
              {passed ? <Icon name="check" size={16} /> : <span aria-hidden="true">{index + 1}</span>}
            </span>
            <div>
              <b>{phases[step].name}</b>
              {passed ? <span className={x.hidden}> done</span> : null}
              <p>{phases[step].does}</p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function Compared({ differences, over }: { differences: Differences | null; over: boolean }) {
  if (!differences) {
    return (
      <Section title="Differences">
        <p className={s.note}>
          {over
            ? 'It ended before anything was compared.'
            : 'The models are compared once the fresh one has caught up.'}
        </p>
      </Section>
    );
  }
  const rows = differing(differences);
  const sample = differences.sample ?? [];
  const columns = [
    differences.new_columns.length > 0
      ? `Only the fresh model has ${differences.new_columns.join(', ')}.`
      : '',
    differences.gone_columns.length > 0
      ? `Only the live model has ${differences.gone_columns.join(', ')}.`
      : '',
  ]
    .filter(Boolean)
    .join(' ');
  return (
    <Section title="Differences">
      {columns === '' ? null : <p className={s.note}>{columns}</p>}
      {rows === 0 ? (
        <p className={s.equal}>
          <Mark tone="good">Equal</Mark> All {counted(differences.compared, 'row')} of the live model are the
          same in a fresh fold.
        </p>
      ) : (
        <>
          <Facts>
            <Fact label="Rows compared">{count(differences.compared)}</Fact>
            <Fact label="Changed">{count(differences.changed)}</Fact>
            <Fact label="Missing in the live model">{count(differences.missing)}</Fact>
            <Fact label="Only in the live model">{count(differences.extra)}</Fact>
          </Facts>
          {sample.length > 0 ? (
            <>
              <p className={s.note}>
                {sample.length < rows
                  ? `The first ${count(sample.length)} of ${counted(rows, 'row')}.`
                  : null}
              </p>
              <Scroll label="Table of rows that differ">
                <table className={classes(t.table, s.differences)}>
                  <thead>
                    <tr>
                      <th scope="col">Table</th>
                      <th scope="col">Key</th>
                      <th scope="col">What</th>
                      <th scope="col">Column</th>
                      <th scope="col">Live value</th>
                      <th scope="col">Fresh value</th>
                    </tr>
                  </thead>
                  <tbody>
                    {sample.map((one) => (
                      <DifferenceRows key={`${one.table} ${one.key}`} difference={one} />
                    ))}
                  </tbody>
                </table>
              </Scroll>
            </>
          ) : null}
        </>
      )}
    </Section>
  );
}

const differs: Record<Difference['kind'], string> = {
  missing: 'missing in live',
  extra: 'only in live',
  changed: 'changed',
};

function DifferenceRows({ difference: { table, key, kind, columns } }: { difference: Difference }) {
  const cells = columns.length > 0 ? columns : [undefined];
  return cells.map((cell, at) => (
    <tr key={cell?.column ?? ''}>
      {at === 0 ? (
        <>
          <td rowSpan={cells.length}>{table}</td>
          <td rowSpan={cells.length} className={classes(t.mono, s.key)}>
            {key}
          </td>
          <td rowSpan={cells.length}>{differs[kind]}</td>
        </>
      ) : null}
      <td className={t.mono}>{cell?.column}</td>
      <td className={t.mono}>{cell ? value(cell.live) : kind === 'missing' ? 'no row' : 'a row'}</td>
      <td className={t.mono}>{cell ? value(cell.fresh) : kind === 'extra' ? 'no row' : 'a row'}</td>
    </tr>
  ));
}

const value = (cell: unknown): string => (typeof cell === 'string' ? cell : JSON.stringify(cell ?? null));

function Asked({ what, build, close }: { what: What; build: Build; close: () => void }) {
  const client = useQueryClient();
  const name = `${kinds[build.kind].toLowerCase()} of ${build.projection}`;
  const rows = build.differences ? differing(build.differences) : 0;
  const act = async () => {
    await post(`/api/ops/builds/${build.id}/${what}`);
    await Promise.all(
      [['build', String(build.id)], ['builds'], ['projections']].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  };
  const ask: Record<What, { title: string; button: string; danger?: boolean; text: ReactNode }> = {
    pause: {
      title: `Pause the ${name}?`,
      button: 'Pause',
      text: 'It stops at once and keeps what it has. The live model is not touched. Resume goes on from there.',
    },
    resume: {
      title: `Resume the ${name}?`,
      button: 'Resume',
      text: `It goes on where it stopped, at ${count(build.events)} folded events.`,
    },
    cancel: {
      title: `Cancel the ${name}?`,
      button: 'Cancel the build',
      danger: true,
      text: (
        <>
          It stops for good, and the schema <b>{build.schema}</b> with all that was built in it is dropped.
          The live model is not touched.
        </>
      ),
    },
    swap: {
      title: `Swap ${build.projection}?`,
      button: 'Swap',
      danger: rows > 0,
      text: (
        <>
          The fresh model in <b>{build.schema}</b> takes the live one’s place in one short transaction;
          readers see it from their next query.{' '}
          {rows > 0 ? (
            <>
              <b>{counted(rows, 'row')}</b> will then read differently.{' '}
            </>
          ) : (
            'Nothing will read differently. '
          )}
          The old model is kept: Roll back on the projection brings it back.
        </>
      ),
    },
  };
  const { title, button, danger, text } = ask[what];
  return (
    <Confirm title={title} button={button} danger={danger} act={act} close={close}>
      <p>{text}</p>
    </Confirm>
  );
}
