import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { classes } from '../../../kit/design/classes';
import { Icon } from '../../../kit/design/icon';
import { Link } from '../../../kit/design/link';
import x from '../../../kit/design/text.module.css';
import { useParams } from '../../../kit/router/router';
import t from '../../../kit/table/table.module.css';
import { useMay } from '../../me';
import { count, duration, rate } from '../../parts/format';
import { Mark } from '../../parts/mark';
import { Action, Fact, Facts, Head, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { queries } from '../api/queries';
import type { Build } from '../api/types';
import { usePolling } from '../live';
import { buildTexts } from '../texts/ru';
import s from './build.module.css';
import { AskBuild, type BuildAction } from './build-actions';
import { BuildDifferences } from './build-differences';
import { BuildProgress } from './build-progress';
import { buildTones, phasesOf, titleOf, took } from './words';

/** One build: where it is, what it found, and what can be done with it. */
export function BuildPage() {
  const { id = '' } = useParams();
  const found = useQuery({ ...queries.build(id), refetchInterval: usePolling() });
  if (found.error instanceof Problem && found.error.status === 404) {
    return (
      <Nothing title={buildTexts.noSuch}>
        <AllBuilds />
      </Nothing>
    );
  }
  return (
    <Loaded
      query={found}
      what={buildTexts.whatOne}
      loading={
        <>
          <Head title={buildTexts.one} />
          <Loading rows={5} height={72} />
        </>
      }
    >
      {(build) => <Detail build={build} />}
    </Loaded>
  );
}

function AllBuilds() {
  return (
    <Link className={t.link} to="/ops/builds">
      {buildTexts.all}
    </Link>
  );
}

function Detail({ build }: { build: Build }) {
  const may = useMay('projections.run');
  const [asked, setAsked] = useState<BuildAction>();
  const over = build.finished_at !== null;
  return (
    <>
      <p className={s.back}>
        <AllBuilds />
      </p>
      <Head
        title={titleOf(build)}
        lead={
          <span role="status">
            <Mark tone={buildTones[build.state]}>{buildTexts.states[build.state]}</Mark>
          </span>
        }
      >
        {may && !over ? <Offers build={build} ask={setAsked} /> : null}
      </Head>
      {may || over ? null : <p className={s.note}>{buildTexts.actNeeds}</p>}
      {build.error ? (
        <p className={s.error} role="alert">
          <b>{build.state === 'failed' ? buildTexts.failed : buildTexts.trouble}</b> {build.error}
        </p>
      ) : null}
      <div className={s.progress}>
        <BuildProgress build={build} />
      </div>
      <Steps build={build} />
      <BuildFacts build={build} />
      {build.kind === 'as-of' ? null : <BuildDifferences differences={build.differences} over={over} />}
      {asked ? <AskBuild what={asked} build={build} close={() => setAsked(undefined)} /> : null}
    </>
  );
}

function Offers({ build: { state, kind }, ask }: { build: Build; ask: (what: BuildAction) => void }) {
  const ready = state === 'ready';
  return (
    <>
      {state === 'paused' ? (
        <Action onClick={() => ask('resume')}>{buildTexts.resume}</Action>
      ) : (
        <Action
          onClick={() => ask('pause')}
          disabled={ready || state === 'swapping'}
          title={ready ? buildTexts.waitsAlready : undefined}
        >
          {buildTexts.pause}
        </Action>
      )}
      <Action onClick={() => ask('cancel')} disabled={state === 'swapping'}>
        {buildTexts.cancel}
      </Action>
      {kind === 'rebuild' ? (
        <Action
          kind="strong"
          onClick={() => ask('swap')}
          disabled={!ready}
          title={ready ? undefined : buildTexts.notCompared}
        >
          {buildTexts.swap}
        </Action>
      ) : null}
    </>
  );
}

function BuildFacts({ build }: { build: Build }) {
  const over = build.finished_at !== null;
  const left =
    over || build.state === 'ready'
      ? '—'
      : build.eta_seconds === null
        ? buildTexts.notKnown
        : duration(build.eta_seconds);
  return (
    <Facts>
      <Fact label={buildTexts.folded}>{count(build.events)}</Fact>
      <Fact label={buildTexts.goesTo}>{count(build.position)}</Fact>
      <Fact label={buildTexts.rate}>{rate(build.rate)}</Fact>
      <Fact label={buildTexts.leftLabel}>{left}</Fact>
      <Fact label={buildTexts.started}>
        <Moment at={build.started_at} />
      </Fact>
      <Fact label={over ? buildTexts.finished : buildTexts.updated}>
        <Moment at={build.finished_at ?? build.updated_at} />
      </Fact>
      <Fact label={over ? buildTexts.took : buildTexts.runs}>{duration(took(build))}</Fact>
      <Fact label={buildTexts.lock}>
        {build.swap_lock_seconds === null ? '—' : duration(build.swap_lock_seconds)}
      </Fact>
      <Fact label={buildTexts.schema}>{build.schema}</Fact>
      <Fact label={buildTexts.holder}>{build.holder ?? buildTexts.nobody}</Fact>
      <Fact label={buildTexts.actor}>{build.actor || '—'}</Fact>
    </Facts>
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
    <ol className={s.steps} aria-label={buildTexts.phasesLabel}>
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
              <b>{buildTexts.phases[step].name}</b>
              {passed ? <span className={x.hidden}> {buildTexts.passed}</span> : null}
              <p>{buildTexts.phases[step].does}</p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}
