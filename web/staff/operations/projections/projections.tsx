import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { classes } from '../../src/design/classes';
import { Link } from '../../src/design/link';
import { useMay } from '../../staff/me';
import { count, counted, duration, percent, rate } from '../../staff/parts/format';
import { Mark, type Tone } from '../../staff/parts/mark';
import { Action, Head, Loaded, Loading, Moment, Nothing } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import x from '../../staff/parts/text.module.css';
import { queries } from '../api/queries';
import type { Projection, ProjectionState } from '../api/types';
import { BuildProgress } from '../builds/build-progress';
import { usePolling } from '../live';
import { Spark } from '../parts/spark';
import { Actions } from './actions';
import s from './projections.module.css';

export const states: Record<ProjectionState, { tone: Tone; word: string; means: string }> = {
  live: { tone: 'good', word: 'Live', means: 'It follows the log.' },
  'catching-up': { tone: 'busy', word: 'Catching up', means: 'It is behind the log and moving.' },
  paused: { tone: 'rest', word: 'Paused', means: 'Somebody stopped it. Readers see what it knew then.' },
  stalled: { tone: 'bad', word: 'Stalled', means: 'It is behind the log and does not move.' },
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
        title="Projections"
        lead={
          found.data ? (
            <Summary head={found.data.head} projections={found.data.projections} />
          ) : (
            'How far each read model is in the log.'
          )
        }
      />
      <Loaded query={found} what="The projections" loading={<Loading rows={7} height={84} />}>
        {({ projections }) =>
          projections.length === 0 ? (
            <Nothing title="No projections yet">
              They appear once the shop has started with its projectors.
            </Nothing>
          ) : (
            <table className={classes(t.table, t.cards, s.table)}>
              <thead>
                <tr>
                  <th scope="col">Projection</th>
                  <th scope="col">State</th>
                  <th scope="col" className={t.number}>
                    Position
                  </th>
                  <th scope="col" className={t.number}>
                    Lag
                  </th>
                  <th scope="col">Events a second</th>
                  <th scope="col">Leases</th>
                  <th scope="col" className={t.number}>
                    Dead letters
                  </th>
                  <th scope="col">Updated</th>
                  {may ? (
                    <th scope="col">
                      <span className={x.hidden}>Actions</span>
                    </th>
                  ) : null}
                </tr>
              </thead>
              <tbody>
                {projections.map((projection) => (
                  <Row
                    key={projection.name}
                    projection={projection}
                    rates={rates.data?.projections[projection.name] ?? []}
                    step={rates.data?.step ?? 1}
                    act={may ? () => setActing(projection.name) : undefined}
                  />
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
      {may ? null : (
        <p className={s.note}>
          Your role may look, not act: pausing and rebuilding need the permission projections.run.
        </p>
      )}
      {chosen ? <Actions projection={chosen} close={() => setActing(undefined)} /> : null}
    </>
  );
}

function Summary({ head, projections }: { head: number; projections: Projection[] }) {
  const behind = projections.filter(({ state }) => state !== 'live').length;
  return (
    <>
      The log is at <b>{count(head)}</b>.{' '}
      {behind === 0
        ? `All ${counted(projections.length, 'projection')} follow it.`
        : `${count(projections.length - behind)} of ${counted(projections.length, 'projection')} follow it.`}
    </>
  );
}

function Row({
  projection: p,
  rates,
  step,
  act,
}: {
  projection: Projection;
  rates: number[];
  step: number;
  act?: () => void;
}) {
  const { tone, word, means } = states[p.state];
  return (
    <tr>
      <th scope="row">
        {p.name}
        <span className={t.sub}>
          version {p.version}
          {p.previous && p.previous.version !== p.version ? `, before it ${p.previous.version}` : ''}
        </span>
      </th>
      <td data-label="State">
        <div className={s.state}>
          <span title={means}>
            <Mark tone={tone}>{word}</Mark>
          </span>
          {p.build ? (
            <div className={s.build}>
              <Link className={t.link} to={`/ops/builds/${p.build.id}`}>
                {`${p.build.kind}: ${p.build.phase || p.build.state}`}
              </Link>
              <BuildProgress build={p.build} short />
            </div>
          ) : null}
        </div>
      </td>
      <td data-label="Position" className={t.number}>
        <div>
          {count(p.position)}
          <span className={t.sub}>of {count(p.head)}</span>
        </div>
      </td>
      <td data-label="Lag" className={t.number}>
        {p.lag === 0 ? (
          <span className={s.none}>none</span>
        ) : (
          <div>
            {counted(p.lag, 'event')}
            <span className={t.sub}>{duration(p.lag_seconds)}</span>
          </div>
        )}
      </td>
      <td data-label="Events a second">
        <div className={s.rate}>
          <span className={s.now}>{rate(p.rate)}</span>
          <Spark values={rates} name={p.name} step={step} />
        </div>
      </td>
      <td data-label="Leases">
        <Holders projection={p} />
      </td>
      <td data-label="Dead letters" className={t.number}>
        {p.dead_letters === 0 ? (
          <span className={s.none}>none</span>
        ) : (
          <Link
            className={classes(t.link, t.strong)}
            to={`/ops/dead-letters?projection=${encodeURIComponent(p.name)}`}
            aria-label={`${counted(p.dead_letters, 'dead letter')} of ${p.name}`}
          >
            {count(p.dead_letters)}
          </Link>
        )}
      </td>
      <td data-label="Updated">
        <Moment at={p.updated_at} />
      </td>
      {act ? (
        <td data-label="">
          <div className={t.buttons}>
            <Action onClick={act} aria-haspopup="dialog" aria-label={`Act on ${p.name}`}>
              Act…
            </Action>
          </div>
        </td>
      ) : null}
    </tr>
  );
}

/** Who holds which slices; one line when it is one process. */
function Holders({ projection: { ranges, head } }: { projection: Projection }) {
  const holders = [...new Set(ranges.map(({ holder }) => holder))];
  if (ranges.length === 0) return <span className={s.none}>none</span>;
  const free = ranges.filter(({ holder }) => !holder).length;
  const said =
    holders.length === 1
      ? (holders[0] ?? 'nobody')
      : `${counted(holders.filter(Boolean).length, 'process').replace('processs', 'processes')}${free ? `, ${count(free)} free` : ''}`;
  return (
    <details className={s.holders}>
      <summary>
        <span className={s.holder}>{said}</span>
        <span className={t.sub}>{counted(ranges.length, 'range')}</span>
      </summary>
      <ul>
        {ranges.map((one) => (
          <li key={one.range}>
            <b>{one.range}</b> {one.holder ?? 'held by nobody'}
            <span className={t.sub}>
              at {count(one.position)} ({percent(head === 0 ? 1 : one.position / head)}), term{' '}
              {count(one.term)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
