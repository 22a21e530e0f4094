import { Link } from '../../src/design/link';
import { search } from '../../staff/api/client';
import { exact } from '../../staff/parts/format';
import { Fact, Facts } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import type { LogEvent } from '../api/types';
import s from './log.module.css';

/** Where an event comes from; what can narrow the log leads there. */
export function EventFacts({ event }: { event: LogEvent }) {
  return (
    <div className={s.facts}>
      <Facts>
        <Fact label="Stream">
          <Filter filter="stream" value={event.stream} /> version {event.version}
        </Fact>
        <Fact label="Actor">{event.actor ? <Filter filter="actor" value={event.actor} /> : '—'}</Fact>
        <Fact label="Recorded">
          <time dateTime={event.recorded_at}>{exact(event.recorded_at)}</time>
        </Fact>
        <Fact label="Id">
          <code className={t.mono}>{event.id}</code>
        </Fact>
        <Fact label="Correlation">
          {event.correlation ? <Filter filter="trace" value={event.correlation} mono /> : '—'}
        </Fact>
        <Fact label="Causation">
          {event.causation ? <code className={t.mono}>{event.causation}</code> : '—'}
        </Fact>
        <Fact label="Trace">{event.trace ? <Filter filter="trace" value={event.trace} mono /> : '—'}</Fact>
        <Fact label="Schema">{event.schema}</Fact>
      </Facts>
      {event.erased ? (
        <p className={s.said}>The person that this is about was erased: what was personal is gone.</p>
      ) : null}
      {event.error ? <p className={s.said}>This program cannot read it: {event.error}</p> : null}
    </div>
  );
}

function Filter({ filter, value, mono = false }: { filter: string; value: string; mono?: boolean }) {
  return (
    <Link
      className={mono ? `${t.link} ${t.mono}` : t.link}
      to={`/ops/log${search({ [filter]: value })}`}
      title={`The log of this ${filter}`}
    >
      {value}
    </Link>
  );
}
