import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Icon } from '../../src/design/icon';
import { get, search } from '../../staff/api/client';
import f from '../../staff/parts/field.module.css';
import { count, counted } from '../../staff/parts/format';
import { Action, Head, Json, Loaded, Loading, MaskedNote, Moment, Nothing } from '../../staff/parts/parts';
import { type LogFilters, queries } from '../api/queries';
import type { LogEvent, LogPage } from '../api/types';
import { pollEvery, useLive } from '../live';
import { EventFacts } from './event';
import s from './log.module.css';

const fields: { name: keyof LogFilters; label: string; placeholder: string }[] = [
  { name: 'stream', label: 'Stream', placeholder: 'order-… or order-*' },
  { name: 'type', label: 'Type', placeholder: 'order.placed, order.paid' },
  { name: 'actor', label: 'Actor', placeholder: 'guest or staff:*' },
  { name: 'trace', label: 'Trace or correlation', placeholder: 'id' },
];

/** The log as it grows. What it is narrowed to stands in the address. */
export function Log() {
  const [address, setAddress] = useSearchParams();
  const key = address.toString();
  const filters = useMemo<LogFilters>(() => {
    const of = new URLSearchParams(key);
    return {
      stream: of.get('stream') ?? '',
      type: of.get('type') ?? '',
      actor: of.get('actor') ?? '',
      trace: of.get('trace') ?? '',
    };
  }, [key]);
  const narrowed = fields.some(({ name }) => filters[name] !== '');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const next = fields.map(({ name }) => [name, String(given.get(name) ?? '').trim()] as const);
    setAddress(Object.fromEntries(next.filter(([, value]) => value !== '')));
  };
  return (
    <>
      <Head title="Log" lead="Every event of the shop, newest first." />
      <form key={`filters ${key}`} className={s.filters} onSubmit={submit} aria-label="Filter the log">
        {fields.map(({ name, label, placeholder }) => (
          <label key={name} className={f.field}>
            {label}
            <input
              name={name}
              defaultValue={filters[name]}
              placeholder={placeholder}
              autoCapitalize="off"
              autoComplete="off"
              spellCheck={false}
            />
          </label>
        ))}
        <div className={s.apply}>
          <Action type="submit" kind="strong">
            Filter
          </Action>
          {narrowed ? <Action onClick={() => setAddress({})}>Show all</Action> : null}
        </div>
      </form>
      <Stream key={`events ${key}`} filters={filters} narrowed={narrowed} />
    </>
  );
}

/** More news than this are not kept: the log is asked anew instead. */
const most = 1_000;

function Stream({ filters, narrowed }: { filters: LogFilters; narrowed: boolean }) {
  const client = useQueryClient();
  const { state, follow } = useLive();
  const found = useInfiniteQuery(queries.log(filters));
  const { news, add, clear } = useNews(found.data?.pages[0]);
  // The highest position that shows while the reader holds the list; what is newer waits.
  const [held, setHeld] = useState<number>();
  const newest = news[0]?.position ?? found.data?.pages[0]?.events[0]?.position ?? 0;

  const again = useCallback(() => {
    clear();
    return client.resetQueries({ queryKey: queries.log(filters).queryKey });
  }, [client, clear, filters]);

  useEffect(() => follow(filters, add), [follow, filters, add]);

  // While the stream is broken, and once when it is back: what was missed.
  const loaded = found.data !== undefined;
  const latest = useRef(newest);
  latest.current = newest;
  useEffect(() => {
    if (!loaded || state === 'connecting') return;
    const stop = new AbortController();
    const ask = async () => {
      try {
        const path = `/api/ops/events${search({ ...filters, after: latest.current, limit: 50 })}`;
        const missed = await get<LogPage>(path, stop.signal);
        if (missed.next !== null && missed.events.length > 0) await again();
        else add(missed.events);
      } catch {
        // The next question may be answered; the header says that the page reconnects.
      }
    };
    ask();
    const timer = state === 'polling' ? setInterval(ask, pollEvery) : undefined;
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [loaded, state, filters, add, again]);

  useEffect(() => {
    if (held === undefined && news.length >= most) again();
  }, [held, news.length, again]);

  const hold = useCallback(() => setHeld((already) => already ?? latest.current), []);
  const release = () => {
    setHeld(undefined);
    scrollTo(0, 0);
    if (news.length >= most) again();
  };
  // A reader who has scrolled away does not want the list to move.
  useEffect(() => {
    const scrolled = () => {
      if (scrollY > 320) hold();
    };
    addEventListener('scroll', scrolled, { passive: true });
    return () => removeEventListener('scroll', scrolled);
  }, [hold]);

  const fresh = held === undefined ? news : news.filter(({ position }) => position <= held);
  const waiting = news.length - fresh.length;
  const older = found.data?.pages.flatMap(({ events }) => events) ?? [];
  return (
    <Loaded query={{ ...found, data: found.data }} what="The log" loading={<Loading rows={10} height={46} />}>
      {() => (
        <>
          <div className={s.tools}>
            <Action kind="plain" onClick={held === undefined ? hold : release}>
              <Icon name={held === undefined ? 'pause' : 'play'} size={16} />
              {held === undefined ? 'Pause' : 'Go on'}
            </Action>
            <p className={s.said} role="status">
              {held === undefined
                ? state === 'live'
                  ? 'New events show at once.'
                  : 'New events show every 3 seconds.'
                : 'Held: new events wait.'}
            </p>
          </div>
          {waiting > 0 ? (
            <button type="button" className={s.pill} onClick={release}>
              {waiting >= most ? `${count(most)} or more new events` : counted(waiting, 'new event')}
            </button>
          ) : null}
          {fresh.length + older.length === 0 && !found.hasNextPage ? (
            <Nothing title={narrowed ? 'No such event yet' : 'The log is empty'}>
              {narrowed
                ? 'An event that fits shows here as it is appended.'
                : 'The first event shows here as it is appended.'}
            </Nothing>
          ) : (
            <ol className={s.list} aria-label="Events, newest first">
              {[...fresh, ...older].map((event) => (
                <Entry key={event.position} event={event} opened={hold} />
              ))}
            </ol>
          )}
          {found.hasNextPage ? (
            <p className={s.more}>
              <Action onClick={() => found.fetchNextPage()} aria-disabled={found.isFetchingNextPage}>
                {found.isFetchingNextPage ? 'Loading…' : 'Load older events'}
              </Action>
            </p>
          ) : null}
        </>
      )}
    </Loaded>
  );
}

/** What was appended since the first page was read, newest first, each event once. */
function useNews(first: LogPage | undefined) {
  const [news, setNews] = useState<LogEvent[]>([]);
  const from = first?.events[0]?.position ?? 0;
  const add = useCallback(
    (told: LogEvent[]) =>
      setNews((known) => {
        const seen = new Set(known.map(({ position }) => position));
        const added = told.filter(({ position }) => !seen.has(position));
        if (added.length === 0) return known;
        return [...added, ...known].sort((a, b) => b.position - a.position).slice(0, most);
      }),
    [],
  );
  const clear = useCallback(() => setNews([]), []);
  // News that came while the first page was on its way stand in it.
  const above = useMemo(() => news.filter(({ position }) => position > from), [news, from]);
  return { news: above, add, clear };
}

function Entry({ event, opened }: { event: LogEvent; opened: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <li className={s.entry}>
      <details
        onToggle={({ currentTarget }) => {
          setOpen(currentTarget.open);
          if (currentTarget.open) opened();
        }}
      >
        <summary className={s.summary}>
          <span className={s.position}>{count(event.position)}</span>
          <b className={s.type}>{event.type}</b>
          <span className={s.stream}>{event.stream}</span>
          <span className={s.actor}>{event.actor}</span>
          <span className={s.time}>
            <Moment at={event.recorded_at} />
          </span>
        </summary>
        {open ? (
          <div className={s.body}>
            <EventFacts event={event} />
            <Json value={event.data} />
            <MaskedNote value={event.data} />
          </div>
        ) : null}
      </details>
    </li>
  );
}
