import { Link } from '../../../kit/design/link';
import t from '../../../kit/table/table.module.css';
import { search } from '../../api/client';
import { exact } from '../../parts/format';
import { Fact, Facts } from '../../parts/parts';
import type { LogEvent } from '../api/types';
import { logTexts } from '../texts/ru';
import s from './log.module.css';

/** Where an event comes from; what can narrow the log leads there. */
export function EventFacts({ event }: { event: LogEvent }) {
  return (
    <div className={s.facts}>
      <Facts>
        <Fact label={logTexts.stream}>
          <Filter filter="stream" value={event.stream} /> {logTexts.version(event.version)}
        </Fact>
        <Fact label={logTexts.actor}>
          {event.actor ? <Filter filter="actor" value={event.actor} /> : '—'}
        </Fact>
        <Fact label={logTexts.recorded}>
          <time dateTime={event.recorded_at}>{exact(event.recorded_at)}</time>
        </Fact>
        <Fact label={logTexts.id}>
          <code className={t.mono}>{event.id}</code>
        </Fact>
        <Fact label={logTexts.correlation}>
          {event.correlation ? <Filter filter="trace" value={event.correlation} mono /> : '—'}
        </Fact>
        <Fact label={logTexts.causation}>
          {event.causation ? <code className={t.mono}>{event.causation}</code> : '—'}
        </Fact>
        <Fact label={logTexts.traceFact}>
          {event.trace ? <Filter filter="trace" value={event.trace} mono /> : '—'}
        </Fact>
        <Fact label={logTexts.schema}>{event.schema}</Fact>
      </Facts>
      {event.erased ? <p className={s.said}>{logTexts.erased}</p> : null}
      {event.error ? <p className={s.said}>{logTexts.unreadable(event.error)}</p> : null}
    </div>
  );
}

function Filter({
  filter,
  value,
  mono = false,
}: {
  filter: keyof typeof logTexts.logOf;
  value: string;
  mono?: boolean;
}) {
  return (
    <Link
      className={mono ? `${t.link} ${t.mono}` : t.link}
      to={`/ops/log${search({ [filter]: value })}`}
      title={logTexts.logOf[filter]}
    >
      {value}
    </Link>
  );
}
