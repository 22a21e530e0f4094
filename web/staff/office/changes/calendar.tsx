import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId } from 'react';
import { Link } from '../../../kit/design/link';
import x from '../../../kit/design/text.module.css';
import { almatyClock, almatyDay, almatyMonth, count } from '../../parts/format';
import { Action, Loaded, Loading, Nothing } from '../../parts/parts';
import { useFilters } from '../desk/address';
import c from './calendar.module.css';
import { titleOf } from './changes';
import { type Day, type Lane, monthBeside, monthOf, today, weeksOf } from './month';
import { type ChangeRow, changeQueries } from './queries';
import { nameTexts } from './texts/names-ru';
import { changeTexts as w } from './texts/ru';

/** How many changes of a month are shown; the shop answers no more at once. */
const most = 200;

/** The changes of a month that have a time, by day in Almaty. On a phone the days that have some are a list. */
export function ChangeCalendar() {
  const { value, narrow } = useFilters();
  const title = useId();
  const now = new Date();
  const month = monthOf(value('month'), now);
  const found = useQuery(changeQueries.list({ month, limit: most }));
  const turn = (by: number) => narrow('month', monthBeside(month, by));
  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const months: Record<string, string> = {
      PageUp: monthBeside(month, -1),
      PageDown: monthBeside(month, 1),
      Home: '',
    };
    const to = months[event.key];
    if (to === undefined) return;
    event.preventDefault();
    narrow('month', to);
  };
  return (
    <section aria-labelledby={title} onKeyDown={press}>
      <div className={c.head}>
        <h2 id={title} aria-live="polite">
          {almatyMonth(`${month}-01`)}
        </h2>
        <Action onClick={() => turn(-1)}>{w.monthBefore}</Action>
        <Action onClick={() => narrow('month', '')}>{w.thisMonth}</Action>
        <Action onClick={() => turn(1)}>{w.monthAfter}</Action>
      </div>
      <p className={c.keys}>{w.monthKeys}</p>
      <Loaded query={found} what={w.what} loading={<Loading rows={6} height={80} />}>
        {({ results }) => (
          <>
            {results.length === 0 ? <Nothing title={w.noneInMonth} /> : null}
            {results.length === most ? <p role="status">{w.onlyFirst(count(most))}</p> : null}
            <Month month={month} rows={results} titled={title} now={now} />
          </>
        )}
      </Loaded>
    </section>
  );
}

type Shown = { month: string; rows: ChangeRow[]; titled: string; now: Date };

function Month({ month, rows, titled, now }: Shown) {
  return (
    <div className={c.frame}>
      <table className={c.month} aria-labelledby={titled}>
        <thead>
          <tr>
            {nameTexts.weekdays.map((day) => (
              <th key={day} scope="col">
                {day}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(month, rows).map((week) => (
            <tr key={week[0]?.date}>
              {week.map((day) => (
                <DayCell key={day.date} day={day} isToday={day.date === today(now)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function DayCell({ day, isToday }: { day: Day; isToday: boolean }) {
  const news = day.lanes.filter((lane) => lane && lane.part !== 'goes-on').length;
  return (
    <td
      className={c.day}
      data-outside={day.outside || undefined}
      data-quiet={news === 0 && !isToday ? true : undefined}
      aria-current={isToday ? 'date' : undefined}
    >
      <time dateTime={day.date}>
        <span aria-hidden="true" className={c.number}>
          {Number(day.date.slice(8))}
        </span>
        <span className={c.whole}>
          {almatyDay(day.date)}
          {isToday ? ` · ${w.today}` : ''}
        </span>
      </time>
      {day.lanes.length > 0 ? (
        <ul>
          {day.lanes.map((lane, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lane is what keeps a sale in one line over its days.
            <li key={at} className={c.lane} data-part={lane?.part} data-state={lane?.row.status}>
              {lane ? <Entry lane={lane} /> : null}
            </li>
          ))}
        </ul>
      ) : null}
    </td>
  );
}

/** What a change does on a day. A sale is a link where it begins and ends, and a bar between. */
function Entry({ lane: { row, part, named } }: { lane: Lane }) {
  const name = titleOf(row);
  const at = part === 'ends' ? row.ends_at : row.starts_at;
  if (part === 'goes-on' && !named) return <span className={c.bar} aria-hidden="true" />;
  return (
    <Link className={c.bar} to={`/admin/changes/${row.id}`} title={`${name} · ${w.statuses[row.status]}`}>
      {at && part !== 'goes-on' ? <span className={c.time}>{almatyClock(at)}</span> : null}{' '}
      {part === 'ends' || part === 'goes-on' ? (
        <span className={x.hidden}>{part === 'ends' ? w.endsThen : w.goesOn} </span>
      ) : null}
      {part === 'ends' ? <span aria-hidden="true">⇥ </span> : null}
      {name}
    </Link>
  );
}
