import { useQuery } from '@tanstack/react-query';
import { classes } from '../../src/design/classes';
import { Link } from '../../src/design/link';
import { count, counted, duration } from '../../staff/parts/format';
import { Mark } from '../../staff/parts/mark';
import { Head, Loaded, Moment, Nothing } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import { queries } from '../api/queries';
import type { Build } from '../api/types';
import { usePolling } from '../live';
import { BuildProgress } from './build-progress';
import { buildStates, differing, kinds, phases } from './words';

/** Every build, the newest first. */
export function Builds() {
  const found = useQuery({ ...queries.builds(), refetchInterval: usePolling() });
  return (
    <>
      <Head title="Builds" lead="Rebuilds, verifications and models of the past, newest first." />
      <Loaded query={found} what="The builds">
        {({ builds }) =>
          builds.length === 0 ? (
            <Nothing title="Nothing was built yet">
              Choose one of the{' '}
              <Link className={t.link} to="/ops/projections">
                projections
              </Link>{' '}
              and rebuild or verify it: its progress and its differences show here.
            </Nothing>
          ) : (
            <table className={classes(t.table, t.cards)}>
              <thead>
                <tr>
                  <th scope="col">Build</th>
                  <th scope="col">State</th>
                  <th scope="col">Progress</th>
                  <th scope="col" className={t.number}>
                    Events
                  </th>
                  <th scope="col">Differences</th>
                  <th scope="col">Started</th>
                  <th scope="col">Took</th>
                  <th scope="col">By</th>
                </tr>
              </thead>
              <tbody>
                {builds.map((build) => (
                  <Row key={build.id} build={build} />
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </>
  );
}

function Row({ build }: { build: Build }) {
  const { tone, word } = buildStates[build.state];
  return (
    <tr>
      <th scope="row">
        <Link className={t.link} to={`/ops/builds/${build.id}`}>
          {`${kinds[build.kind]} of ${build.projection}`}
        </Link>
        <span className={t.sub}>to {count(build.position)}</span>
      </th>
      <td data-label="State">
        <div>
          <Mark tone={tone}>{word}</Mark>
          {build.phase && !build.finished_at ? (
            <span className={t.sub}>{phases[build.phase].name}</span>
          ) : null}
        </div>
      </td>
      <td data-label="Progress">
        <BuildProgress build={build} short />
      </td>
      <td data-label="Events" className={t.number}>
        {count(build.events)}
      </td>
      <td data-label="Differences">
        <Differ build={build} />
      </td>
      <td data-label="Started">
        <Moment at={build.started_at} />
      </td>
      <td data-label="Took">{build.finished_at ? duration(took(build)) : '—'}</td>
      <td data-label="By">{build.actor}</td>
    </tr>
  );
}

export const took = (build: Build): number =>
  (Date.parse(build.finished_at ?? build.updated_at) - Date.parse(build.started_at)) / 1000;

function Differ({ build: { differences } }: { build: Build }) {
  if (!differences) return '—';
  const rows = differing(differences);
  return rows === 0 ? 'equal' : <span className={t.strong}>{counted(rows, 'row')}</span>;
}
