import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { classes } from '../../../kit/design/classes';
import { Link } from '../../../kit/design/link';
import { onDemand } from '../../../kit/design/on-demand';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { Rich } from '../../../kit/texts/rich';
import { useMay } from '../../me';
import { count, duration, percent, rate } from '../../parts/format';
import { Mark, type Tone } from '../../parts/mark';
import { Action, Head, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { countTexts, partsTexts } from '../../texts/ru';
import { queries } from '../api/queries';
import type { Projection, ProjectionState, Rates } from '../api/types';
import { BuildProgress } from '../builds/build-progress';
import { stageOf } from '../builds/words';
import { usePolling } from '../live';
import { Spark } from '../parts/spark';
import { buildTexts, projectionTexts } from '../texts/ru';
import s from './projections.module.css';

const Actions = onDemand(() => import('./actions').then(({ Actions }) => ({ default: Actions })));

const tones: Record<ProjectionState, Tone> = {
  live: 'good',
  'catching-up': 'busy',
  paused: 'rest',
  stalled: 'bad',
};

/** What one sees first: how far each read model is, and what can be done with it. */
export function Projections() {
  const every = usePolling();
  const found = useQuery({ ...queries.projections(), refetchInterval: every });
  // What the stream tells is added second by second; now and then the whole is asked again.
  const rates = useQuery({ ...queries.rates(), refetchInterval: every || 30_000 });
  const may = useMay('projections.run');
  const [acting, setActing] = useState<string>();
  const chosen = found.data?.projections.find(({ name }) => name === acting);
  return (
    <>
      <Head
        title={projectionTexts.title}
        lead={
          found.data ? (
            <Summary head={found.data.head} projections={found.data.projections} />
          ) : (
            projectionTexts.lead
          )
        }
      />
      <Loaded query={found} what={projectionTexts.what} loading={<Loading rows={7} height={84} />}>
        {({ projections }) => (
          <Table
            caption={projectionTexts.title}
            columns={[...columns(rates.data), ...(may ? [actions(setActing)] : [])]}
            rows={projections}
            rowKey={({ name }) => name}
            cards
            className={s.table}
            empty={<Nothing title={projectionTexts.none}>{projectionTexts.noneWhy}</Nothing>}
          />
        )}
      </Loaded>
      {may ? null : <p className={s.note}>{projectionTexts.actNeeds}</p>}
      {chosen ? <Actions projection={chosen} close={() => setActing(undefined)} /> : null}
    </>
  );
}

function Summary({ head, projections }: { head: number; projections: Projection[] }) {
  const all = projections.length;
  const following = projections.filter(({ state }) => state === 'live').length;
  return (
    <>
      <Rich text={projectionTexts.logAt(count(head))} />{' '}
      {following === all ? projectionTexts.allFollow(all) : projectionTexts.someFollow(following, all)}
    </>
  );
}

const columns = (rates: Rates | undefined): Column<Projection>[] => [
  {
    key: 'projection',
    title: projectionTexts.projection,
    head: true,
    cell: ({ name, kind, version, previous }) => (
      <>
        {name}
        <span className={t.sub}>
          {projectionTexts.kinds[kind]}
          {kind === 'policy' ? '' : `, ${projectionTexts.version(version)}`}
          {previous && previous.version !== version ? projectionTexts.before(previous.version) : ''}
        </span>
      </>
    ),
  },
  { key: 'state', title: projectionTexts.state, cell: (projection) => <State projection={projection} /> },
  {
    key: 'position',
    title: projectionTexts.position,
    number: true,
    cell: ({ position, head }) => (
      <div>
        {count(position)}
        <span className={t.sub}>{projectionTexts.of(count(head))}</span>
      </div>
    ),
  },
  {
    key: 'lag',
    title: projectionTexts.lag,
    number: true,
    cell: ({ lag, lag_seconds }) =>
      lag === 0 ? (
        <span className={s.none}>{projectionTexts.nothing}</span>
      ) : (
        <div>
          {countTexts.events(lag)}
          <span className={t.sub}>{duration(lag_seconds)}</span>
        </div>
      ),
  },
  {
    key: 'rate',
    title: projectionTexts.rate,
    cell: ({ name, rate: now }) => (
      <div className={s.rate}>
        <span className={s.now}>{rate(now)}</span>
        <Spark values={rates?.projections[name] ?? []} name={name} step={rates?.step ?? 1} />
      </div>
    ),
  },
  { key: 'leases', title: projectionTexts.leases, cell: (projection) => <Holders projection={projection} /> },
  {
    key: 'letters',
    title: projectionTexts.deadLetters,
    number: true,
    cell: ({ name, dead_letters }) =>
      dead_letters === 0 ? (
        <span className={s.none}>{projectionTexts.nothing}</span>
      ) : (
        <Link
          className={classes(t.link, t.strong)}
          to={`/ops/dead-letters?projection=${encodeURIComponent(name)}`}
          aria-label={projectionTexts.lettersOf(countTexts.deadLetters(dead_letters), name)}
        >
          {count(dead_letters)}
        </Link>
      ),
  },
  { key: 'updated', title: projectionTexts.updated, cell: ({ updated_at }) => <Moment at={updated_at} /> },
];

const actions = (act: (name: string) => void): Column<Projection> => ({
  key: 'actions',
  title: partsTexts.actions,
  actions: true,
  cell: ({ name }) => (
    <div className={t.buttons}>
      <Action onClick={() => act(name)} aria-haspopup="dialog" aria-label={projectionTexts.actOn(name)}>
        {projectionTexts.act}
      </Action>
    </div>
  ),
});

function State({ projection: { state, build } }: { projection: Projection }) {
  const { word, means } = projectionTexts.states[state];
  return (
    <div className={s.state}>
      <span title={means}>
        <Mark tone={tones[state]}>{word}</Mark>
      </span>
      {build ? (
        <div className={s.build}>
          <Link className={t.link} to={`/ops/builds/${build.id}`}>
            {`${buildTexts.kinds[build.kind]}: ${stageOf(build)}`}
          </Link>
          <BuildProgress build={build} short />
        </div>
      ) : null}
    </div>
  );
}

/** Who holds which slices; one line when it is one process. */
function Holders({ projection: { ranges, head } }: { projection: Projection }) {
  const holders = [...new Set(ranges.map(({ holder }) => holder))];
  if (ranges.length === 0) return <span className={s.none}>{projectionTexts.nothing}</span>;
  const free = ranges.filter(({ holder }) => !holder).length;
  const said =
    holders.length === 1
      ? (holders[0] ?? projectionTexts.nobody)
      : countTexts.processes(holders.filter(Boolean).length) +
        (free ? projectionTexts.free(count(free)) : '');
  return (
    <details className={s.holders}>
      <summary>
        <span className={s.holder}>{said}</span>
        <span className={t.sub}>{countTexts.ranges(ranges.length)}</span>
      </summary>
      <ul>
        {ranges.map((one) => (
          <li key={one.range}>
            <b>{one.range}</b> {one.holder ?? projectionTexts.heldByNobody}
            <span className={t.sub}>
              {projectionTexts.rangeAt(
                count(one.position),
                percent(head === 0 ? 1 : one.position / head),
                count(one.term),
              )}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
