import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { classes } from '../../../kit/design/classes';
import { sortedBy } from '../../../kit/table/rows';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { bytes, count, duration, percent } from '../../parts/format';
import { Mark } from '../../parts/mark';
import { Fact, Facts, Head, Loaded, Loading, Moment, Nothing, Section } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import { queries } from '../api/queries';
import type { Statement, Health as Told } from '../api/types';
import { healthTexts } from '../texts/ru';
import s from './health.module.css';

/** How the database and the shop's processes are. */
export function Health() {
  const found = useQuery(queries.health());
  return (
    <>
      <Head title={healthTexts.title} lead={healthTexts.lead} />
      <Loaded query={found} what={healthTexts.what} loading={<Loading rows={5} height={96} />}>
        {(told) => (
          <>
            <Database database={told.database} />
            <Processes processes={told.processes} />
            <Keys keys={told.keys} />
            {told.replicas.length > 0 ? <Replicas replicas={told.replicas} /> : null}
            <Slowest statements={told.statements} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** A transaction open for so long keeps old rows and holds readers of the log back. */
const old = 60;
/** Below this share the database reads too much from its disk. */
const wanted = 0.95;

function Database({ database: d }: { database: Told['database'] }) {
  const { used, max, idle, active, waiting } = d.connections;
  const left = max - used;
  return (
    <Section title={healthTexts.database}>
      <Facts>
        <Fact label={healthTexts.size}>{bytes(d.size_bytes)}</Fact>
        <Fact label={healthTexts.log}>
          {bytes(d.log_bytes)}
          <span className={t.sub}>{healthTexts.aboutEvents(countTexts.events(d.events))}</span>
        </Fact>
        <Fact label={healthTexts.connections}>
          {healthTexts.of(count(used), count(max))}
          <span className={t.sub}>{healthTexts.activeIdle(count(active), count(idle))}</span>
          {left < max * 0.1 ? <Mark tone="bad">{healthTexts.nearlyAll}</Mark> : null}
        </Fact>
        <Fact label={healthTexts.waiting}>
          {waiting === 0 ? healthTexts.none : <Mark tone="busy">{count(waiting)}</Mark>}
        </Fact>
        <Fact label={healthTexts.oldest}>
          {d.oldest_transaction_seconds === 0 ? healthTexts.noneOpen : duration(d.oldest_transaction_seconds)}{' '}
          {d.oldest_transaction_seconds > old ? <Mark tone="bad">{healthTexts.tooLong}</Mark> : null}
        </Fact>
        <Fact label={healthTexts.cache}>
          {percent(d.cache_hit_ratio, 1)}{' '}
          {d.cache_hit_ratio < wanted ? <Mark tone="busy">{healthTexts.low}</Mark> : null}
        </Fact>
        <Fact label={healthTexts.postgres}>{d.version}</Fact>
        <Fact label={healthTexts.runsSince}>
          <Moment at={d.started_at} />
        </Fact>
      </Facts>
    </Section>
  );
}

const processColumns = (): Column<Told['processes'][number]>[] => [
  { key: 'process', title: healthTexts.process, head: true, cell: ({ holder }) => holder },
  { key: 'roles', title: healthTexts.roles, cell: ({ roles }) => roles.join(', ') },
  { key: 'started', title: healthTexts.started, cell: ({ started_at }) => <Moment at={started_at} /> },
  { key: 'seen', title: healthTexts.seen, cell: ({ seen_at }) => <Moment at={seen_at} /> },
];

function Processes({ processes }: { processes: Told['processes'] }) {
  return (
    <Section title={healthTexts.processes}>
      <Table
        caption={healthTexts.processes}
        columns={processColumns()}
        rows={processes}
        rowKey={({ holder }) => holder}
        cards
        empty={<Nothing title={healthTexts.noProcess} />}
      />
    </Section>
  );
}

type FileKey = Told['keys']['file'][number];

const keyColumns = (first: string | undefined): Column<FileKey>[] => [
  { key: 'key', title: healthTexts.key, head: true, cell: ({ id }) => <code className={t.mono}>{id}</code> },
  {
    key: 'does',
    title: healthTexts.does,
    cell: ({ id }) => (id === first ? healthTexts.wraps : healthTexts.opens),
  },
  {
    key: 'state',
    title: healthTexts.keyState,
    cell: ({ id, in_use }) => {
      if (in_use) return id === first ? healthTexts.inUse : <Mark tone="busy">{healthTexts.rotate}</Mark>;
      return id === first ? <Mark tone="busy">{healthTexts.rotate}</Mark> : healthTexts.idle;
    },
  },
];

/** The key file: which key wraps, which only open, and whether a rotation is due. */
function Keys({ keys }: { keys: Told['keys'] }) {
  return (
    <Section title={healthTexts.keys}>
      {keys.bare ? (
        <p>
          <Mark tone="bad">{healthTexts.bare}</Mark>
        </p>
      ) : null}
      <Table
        caption={healthTexts.keys}
        columns={keyColumns(keys.file[0]?.id)}
        rows={keys.file}
        rowKey={({ id }) => id}
        cards
        empty={<Nothing title={healthTexts.noKeys} />}
      />
    </Section>
  );
}

const replicaColumns = (): Column<Told['replicas'][number]>[] => [
  { key: 'replica', title: healthTexts.replica, head: true, cell: ({ name }) => name },
  {
    key: 'state',
    title: healthTexts.state,
    cell: (r) => (r.in ? healthTexts.asked : <Mark tone="bad">{healthTexts.whyOut(r.why)}</Mark>),
  },
  {
    key: 'behind',
    title: healthTexts.behind,
    number: true,
    cell: (r) =>
      r.behind_seconds === null || r.behind_bytes === null
        ? '–'
        : `${duration(r.behind_seconds)}, ${bytes(r.behind_bytes)}`,
  },
  { key: 'since', title: healthTexts.since, cell: ({ since }) => <Moment at={since} /> },
];

function Replicas({ replicas }: { replicas: Told['replicas'] }) {
  return (
    <Section title={healthTexts.replicas}>
      <Table
        caption={healthTexts.replicas}
        columns={replicaColumns()}
        rows={replicas}
        rowKey={({ name }) => name}
        cards
        empty={<Nothing title={healthTexts.noReplica} />}
      />
    </Section>
  );
}

const measured = (
  key: Exclude<keyof Statement, 'query'>,
  title: string,
  show: (value: number) => string,
): Column<Statement> => ({
  key,
  title,
  number: true,
  sortable: true,
  value: (statement) => statement[key],
  cell: (statement) => show(statement[key]),
});

const statementColumns = (): Column<Statement>[] => [
  {
    key: 'query',
    title: healthTexts.statement,
    className: s.statement,
    cell: ({ query }) => <Query text={query} />,
  },
  measured('total_seconds', healthTexts.total, duration),
  measured('mean_seconds', healthTexts.mean, duration),
  measured('calls', healthTexts.calls, count),
  measured('rows', healthTexts.rows, count),
];

function Slowest({ statements }: { statements: Told['statements'] }) {
  const [by, setBy] = useState('-total_seconds');
  const columns = statementColumns();
  return (
    <Section title={healthTexts.slowest}>
      {statements.available ? (
        <Table
          caption={healthTexts.statements}
          columns={columns}
          rows={sortedBy(statements.slowest ?? [], columns, by)}
          rowKey={({ query, calls, total_seconds }) => `${query} ${calls} ${total_seconds}`}
          cards
          className={s.statements}
          sorted={by}
          sort={setBy}
          empty={<Nothing title={healthTexts.noneCounted} />}
        />
      ) : (
        <Nothing title={healthTexts.notMeasured}>{statements.reason || healthTexts.noStatements}</Nothing>
      )}
    </Section>
  );
}

const long = 140;

/** A statement, cut when it is long; the whole one on demand. */
function Query({ text }: { text: string }) {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= long) return <code className={t.mono}>{line}</code>;
  return (
    <details>
      <summary className={s.cut}>
        <code className={t.mono}>{line.slice(0, long)}…</code>
      </summary>
      <pre className={classes(t.mono, s.whole)}>{text}</pre>
    </details>
  );
}
