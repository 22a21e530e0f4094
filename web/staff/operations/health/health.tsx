import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { classes } from '../../src/design/classes';
import { bytes, count, counted, duration, percent } from '../../staff/parts/format';
import { Mark } from '../../staff/parts/mark';
import { Fact, Facts, Head, Loaded, Loading, Moment, Nothing, Section } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import { queries } from '../api/queries';
import type { Statement, Health as Told } from '../api/types';
import s from './health.module.css';

/** How the database and the shop's processes are. */
export function Health() {
  const found = useQuery(queries.health());
  return (
    <>
      <Head title="Health" lead="The database and the processes, asked every 10 seconds." />
      <Loaded query={found} what="The health" loading={<Loading rows={5} height={96} />}>
        {(told) => (
          <>
            <Database database={told.database} />
            <Processes processes={told.processes} />
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
    <Section title="Database">
      <Facts>
        <Fact label="Size">{bytes(d.size_bytes)}</Fact>
        <Fact label="Of it, the log">
          {bytes(d.log_bytes)}
          <span className={t.sub}>about {counted(d.events, 'event')}</span>
        </Fact>
        <Fact label="Connections">
          {count(used)} of {count(max)}
          <span className={t.sub}>
            {count(active)} active, {count(idle)} idle
          </span>
          {left < max * 0.1 ? <Mark tone="bad">Nearly all used</Mark> : null}
        </Fact>
        <Fact label="Waiting for a lock">
          {waiting === 0 ? 'none' : <Mark tone="busy">{count(waiting)}</Mark>}
        </Fact>
        <Fact label="Oldest transaction">
          {d.oldest_transaction_seconds === 0 ? 'none open' : duration(d.oldest_transaction_seconds)}{' '}
          {d.oldest_transaction_seconds > old ? <Mark tone="bad">Too long</Mark> : null}
        </Fact>
        <Fact label="Read from the cache">
          {percent(d.cache_hit_ratio, 1)} {d.cache_hit_ratio < wanted ? <Mark tone="busy">Low</Mark> : null}
        </Fact>
        <Fact label="PostgreSQL">{d.version}</Fact>
        <Fact label="Runs since">
          <Moment at={d.started_at} />
        </Fact>
      </Facts>
    </Section>
  );
}

function Processes({ processes }: { processes: Told['processes'] }) {
  return (
    <Section title="Processes">
      {processes.length === 0 ? (
        <Nothing title="No process has told of itself" />
      ) : (
        <table className={classes(t.table, t.cards)}>
          <thead>
            <tr>
              <th scope="col">Process</th>
              <th scope="col">Roles</th>
              <th scope="col">Started</th>
              <th scope="col">Seen</th>
            </tr>
          </thead>
          <tbody>
            {processes.map((one) => (
              <tr key={one.holder}>
                <th scope="row">{one.holder}</th>
                <td data-label="Roles">{one.roles.join(', ')}</td>
                <td data-label="Started">
                  <Moment at={one.started_at} />
                </td>
                <td data-label="Seen">
                  <Moment at={one.seen_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

type Column = Exclude<keyof Statement, 'query'>;

const columns: { of: Column; name: string; show: (value: number) => string }[] = [
  { of: 'total_seconds', name: 'Total', show: duration },
  { of: 'mean_seconds', name: 'Mean', show: duration },
  { of: 'calls', name: 'Calls', show: count },
  { of: 'rows', name: 'Rows', show: count },
];

function Slowest({ statements }: { statements: Told['statements'] }) {
  const [by, setBy] = useState<{ of: Column; falling: boolean }>({ of: 'total_seconds', falling: true });
  if (!statements.available) {
    return (
      <Section title="Slowest statements">
        <Nothing title="Not measured">{statements.reason || 'pg_stat_statements is not there.'}</Nothing>
      </Section>
    );
  }
  const sorted = [...(statements.slowest ?? [])].sort((a, b) =>
    by.falling ? b[by.of] - a[by.of] : a[by.of] - b[by.of],
  );
  if (sorted.length === 0) {
    return (
      <Section title="Slowest statements">
        <Nothing title="No statement was counted yet" />
      </Section>
    );
  }
  return (
    <Section title="Slowest statements">
      <table className={classes(t.table, t.cards, s.statements)} aria-label="Statements">
        <thead>
          <tr>
            <th scope="col">Statement</th>
            {columns.map(({ of, name }) => (
              <th
                key={of}
                scope="col"
                className={t.number}
                aria-sort={by.of === of ? (by.falling ? 'descending' : 'ascending') : undefined}
              >
                <button
                  type="button"
                  className={t.sort}
                  onClick={() => setBy({ of, falling: by.of === of ? !by.falling : true })}
                >
                  {name}
                  <span aria-hidden="true">{by.of === of ? (by.falling ? ' ↓' : ' ↑') : ''}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((one) => (
            <tr key={`${one.query} ${one.calls} ${one.total_seconds}`}>
              <td className={s.statement} data-label="Statement">
                <Query text={one.query} />
              </td>
              {columns.map(({ of, name, show }) => (
                <td key={of} className={t.number} data-label={name}>
                  {show(one[of])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
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
