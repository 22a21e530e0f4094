import { useQuery } from '@tanstack/react-query';
import { Link } from '../../../kit/design/link';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { Rich } from '../../../kit/texts/rich';
import { count, duration } from '../../parts/format';
import { Mark } from '../../parts/mark';
import { Head, Loaded, Moment, Nothing } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import { queries } from '../api/queries';
import type { Build } from '../api/types';
import { usePolling } from '../live';
import { buildTexts } from '../texts/ru';
import { BuildProgress } from './build-progress';
import { buildTones, differing, titleOf, took } from './words';

/** Every build, the newest first. */
export function Builds() {
  const found = useQuery({ ...queries.builds(), refetchInterval: usePolling() });
  return (
    <>
      <Head title={buildTexts.title} lead={buildTexts.lead} />
      <Loaded query={found} what={buildTexts.what}>
        {({ builds }) => (
          <Table
            caption={buildTexts.title}
            columns={columns()}
            rows={builds}
            rowKey={({ id }) => id}
            cards
            empty={
              <Nothing title={buildTexts.none}>
                <Rich
                  text={buildTexts.noneWhy}
                  link={(words) => (
                    <Link className={t.link} to="/ops/projections">
                      {words}
                    </Link>
                  )}
                />
              </Nothing>
            }
          />
        )}
      </Loaded>
    </>
  );
}

const columns = (): Column<Build>[] => [
  {
    key: 'build',
    title: buildTexts.one,
    head: true,
    cell: (build) => (
      <>
        <Link className={t.link} to={`/ops/builds/${build.id}`}>
          {titleOf(build)}
        </Link>
        <span className={t.sub}>{buildTexts.to(count(build.position))}</span>
      </>
    ),
  },
  {
    key: 'state',
    title: buildTexts.state,
    cell: (build) => (
      <div>
        <Mark tone={buildTones[build.state]}>{buildTexts.states[build.state]}</Mark>
        {build.phase && !build.finished_at ? (
          <span className={t.sub}>{buildTexts.phases[build.phase].name}</span>
        ) : null}
      </div>
    ),
  },
  { key: 'progress', title: buildTexts.progress, cell: (build) => <BuildProgress build={build} short /> },
  { key: 'events', title: buildTexts.events, number: true, cell: ({ events }) => count(events) },
  { key: 'differences', title: buildTexts.differences, cell: (build) => <Differ build={build} /> },
  { key: 'started', title: buildTexts.started, cell: ({ started_at }) => <Moment at={started_at} /> },
  {
    key: 'took',
    title: buildTexts.took,
    cell: (build) => (build.finished_at ? duration(took(build)) : '—'),
  },
  { key: 'by', title: buildTexts.by, cell: ({ actor }) => actor },
];

function Differ({ build: { differences } }: { build: Build }) {
  if (!differences) return '—';
  const rows = differing(differences);
  return rows === 0 ? buildTexts.equal : <span className={t.strong}>{countTexts.rows(rows)}</span>;
}
