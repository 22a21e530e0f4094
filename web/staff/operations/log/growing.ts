import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { eventsAfter, type LogFilters, queries } from '../api/queries';
import type { LogEvent, LogPage } from '../api/types';
import { pollEvery, useLive } from '../live';

/** When more new events than this arrive, they are dropped and the log is fetched again. */
export const most = 1_000;

/** What was appended since the first page was read, from the stream, or asked for while that is broken. */
export function useGrowing(filters: LogFilters, first: LogPage | undefined) {
  const client = useQueryClient();
  const { state, follow } = useLive();
  const { news, add, clear } = useNews(first);
  const again = useCallback(() => {
    clear();
    return client.resetQueries({ queryKey: queries.log(filters).queryKey });
  }, [client, clear, filters]);

  useEffect(() => follow(filters, add), [follow, filters, add]);

  // Fetches what was missed, while the stream is broken and once when it is back.
  const loaded = first !== undefined;
  const latest = useRef(0);
  latest.current = news[0]?.position ?? first?.events[0]?.position ?? 0;
  useEffect(() => {
    if (!loaded || state === 'connecting') return;
    const stop = new AbortController();
    const ask = async () => {
      try {
        const missed = await eventsAfter(filters, latest.current, stop.signal);
        if (missed.next !== null && missed.events.length > 0) await again();
        else add(missed.events);
      } catch {
        // The next poll may succeed; the header says that the page reconnects.
      }
    };
    ask();
    const timer = state === 'polling' ? setInterval(ask, pollEvery) : undefined;
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [loaded, state, filters, add, again]);
  return { news, again };
}

/** The highest position that shows while the reader holds the list; what is newer waits. */
export function useHold(newest: number) {
  const [held, setHeld] = useState<number>();
  const latest = useRef(newest);
  latest.current = newest;
  const hold = useCallback(() => setHeld((already) => already ?? latest.current), []);
  const release = () => {
    setHeld(undefined);
    scrollTo(0, 0);
  };
  // The list must not move under a reader who has scrolled.
  useEffect(() => {
    const scrolled = () => {
      if (scrollY > 320) hold();
    };
    addEventListener('scroll', scrolled, { passive: true });
    return () => removeEventListener('scroll', scrolled);
  }, [hold]);
  return { held, hold, release };
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
  // The first page already holds the events that arrived while it was loading.
  const above = useMemo(() => news.filter(({ position }) => position > from), [news, from]);
  return { news: above, add, clear };
}
