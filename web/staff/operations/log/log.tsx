import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Icon } from '../../../kit/design/icon';
import f from '../../parts/field.module.css';
import { count } from '../../parts/format';
import { Action, Head, Json, Loaded, Loading, MaskedNote, Moment, Nothing } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import { eventsAfter, type LogFilters, queries } from '../api/queries';
import type { LogEvent, LogPage } from '../api/types';
import { pollEvery, useLive } from '../live';
import { logTexts } from '../texts/ru';
import { EventFacts } from './event';
import s from './log.module.css';

const names = ['stream', 'type', 'actor', 'trace'] as const;

/** What each filter is called, and an example of it. */
const fields = (): Record<(typeof names)[number], { label: string; example: string }> => ({
  stream: { label: logTexts.stream, example: logTexts.streamHint },
  type: { label: logTexts.type, example: 'order.placed, order.paid' },
  actor: { label: logTexts.actor, example: logTexts.actorHint },
  trace: { label: logTexts.trace, example: 'id' },
});

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
  const narrowed = names.some((name) => filters[name] !== '');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const next = names.map((name) => [name, String(given.get(name) ?? '').trim()] as const);
    setAddress(Object.fromEntries(next.filter(([, value]) => value !== '')));
  };
  return (
    <>
      <Head title={logTexts.title} lead={logTexts.lead} />
      <form key={`filters ${key}`} className={s.filters} onSubmit={submit} aria-label={logTexts.filterLabel}>
        {names.map((name) => (
          <label key={name} className={f.field}>
            {fields()[name].label}
            <input
              name={name}
              defaultValue={filters[name]}
              placeholder={fields()[name].example}
              autoCapitalize="off"
              autoComplete="off"
              spellCheck={false}
            />
          </label>
        ))}
        <div className={s.apply}>
          <Action type="submit" kind="strong">
            {logTexts.filter}
          </Action>
          {narrowed ? <Action onClick={() => setAddress({})}>{logTexts.showAll}</Action> : null}
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
        const missed = await eventsAfter(filters, latest.current, stop.signal);
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
    <Loaded
      query={{ ...found, data: found.data }}
      what={logTexts.what}
      loading={<Loading rows={10} height={46} />}
    >
      {() => (
        <>
          <div className={s.tools}>
            <Action kind="plain" onClick={held === undefined ? hold : release}>
              <Icon name={held === undefined ? 'pause' : 'play'} size={16} />
              {held === undefined ? logTexts.pause : logTexts.goOn}
            </Action>
            <p className={s.said} role="status">
              {held === undefined
                ? state === 'live'
                  ? logTexts.atOnce
                  : logTexts.everyThree
                : logTexts.held}
            </p>
          </div>
          {waiting > 0 ? (
            <button type="button" className={s.pill} onClick={release}>
              {waiting >= most ? logTexts.manyNew(count(most)) : countTexts.newEvents(waiting)}
            </button>
          ) : null}
          {fresh.length + older.length === 0 && !found.hasNextPage ? (
            <Nothing title={narrowed ? logTexts.noneSuch : logTexts.empty}>
              {narrowed ? logTexts.noneSuchWhy : logTexts.emptyWhy}
            </Nothing>
          ) : (
            <ol className={s.list} aria-label={logTexts.events}>
              {[...fresh, ...older].map((event) => (
                <Entry key={event.position} event={event} opened={hold} />
              ))}
            </ol>
          )}
          {found.hasNextPage ? (
            <p className={s.more}>
              <Action onClick={() => found.fetchNextPage()} aria-disabled={found.isFetchingNextPage}>
                {found.isFetchingNextPage ? logTexts.loading : logTexts.older}
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
