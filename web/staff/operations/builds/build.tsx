import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { Problem } from '../../src/api/problem';
import { classes } from '../../src/design/classes';
import { Icon } from '../../src/design/icon';
import { Link } from '../../src/design/link';
import { useMay } from '../../staff/me';
import { count, duration, rate } from '../../staff/parts/format';
import { Mark } from '../../staff/parts/mark';
import { Action, Fact, Facts, Head, Loaded, Loading, Moment, Nothing } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import x from '../../staff/parts/text.module.css';
import { queries } from '../api/queries';
import type { Build } from '../api/types';
import { usePolling } from '../live';
import s from './build.module.css';
import { AskBuild, type BuildAction } from './build-actions';
import { BuildDifferences } from './build-differences';
import { BuildProgress } from './build-progress';
import { took } from './builds';
import { buildStates, kinds, phases, phasesOf } from './words';

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

function Detail({ build }: { build: Build }) {
  const may = useMay('projections.run');
  const [asked, setAsked] = useState<BuildAction>();
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
      {build.kind === 'as-of' ? null : <BuildDifferences differences={build.differences} over={over} />}
      {asked ? <AskBuild what={asked} build={build} close={() => setAsked(undefined)} /> : null}
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
