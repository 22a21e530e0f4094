import { useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { search } from '../api/client';
import { useMay } from '../me';
import { type LogFilters, queries } from './api/queries';
import type { Build, Builds, LogEvent, Projections, Rates } from './api/types';

/** live: the stream is open; polling: it broke, and what is on the screen asks every three seconds meanwhile. */
export type LiveState = 'connecting' | 'live' | 'polling';

/** Pause between two tries to open the stream, and between two questions while it is broken. */
export const pollEvery = 3_000;
/** The server sends something at least every ten seconds; a stream that is silent for longer is dead. */
const silence = 30_000;

type Listener = (events: LogEvent[]) => void;

type Live = {
  state: LiveState;
  /** Subscribes to new events of the log; the latest subscription sets the filter. Returns a function that ends it. */
  follow: (filters: LogFilters, listener: Listener) => () => void;
};

const Context = createContext<Live>({ state: 'connecting', follow: () => () => {} });

export const useLive = (): Live => useContext(Context);

/** How often a screen polls: never while the stream is open. */
export const usePolling = (): number | false => (useLive().state === 'polling' ? pollEvery : false);

/** Keeps the cache as new as the shop, by server-sent events. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  const [query, setQuery] = useState('');
  const listener = useRef<Listener>(undefined);

  const may = useMay('projections.see');

  useEffect(() => {
    if (!may) return;
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let watch: ReturnType<typeof setTimeout> | undefined;
    let ended = false;

    const broken = () => {
      clearTimeout(watch);
      clearTimeout(again);
      source?.close();
      if (ended) return;
      setState('polling');
      again = setTimeout(open, pollEvery);
    };
    const heard = () => {
      setState('live');
      clearTimeout(watch);
      watch = setTimeout(broken, silence);
    };
    const on = <T,>(name: string, take: (data: T) => void) =>
      source?.addEventListener(name, (message) => {
        heard();
        take(JSON.parse((message as MessageEvent<string>).data) as T);
      });

    function open() {
      source = new EventSource(`/api/ops/live${query}`);
      source.onopen = heard;
      source.onerror = broken;
      on<Projections>('projections', (told) => {
        const before = client.getQueryData(queries.projections().queryKey);
        client.setQueryData(queries.projections().queryKey, told);
        client.setQueryData(queries.rates().queryKey, (rates) => rates && withRates(rates, told, before));
      });
      on<Builds>('builds', (told) => {
        client.setQueryData(queries.builds().queryKey, told);
        for (const build of told.builds) {
          client.setQueryData(
            queries.build(String(build.id)).queryKey,
            (known) => known && merged(known, build),
          );
          // The list lacks the sample of differences, which the build's own page shows.
          const known = client.getQueryData(queries.build(String(build.id)).queryKey);
          if (known?.differences && !known.differences.sample) {
            client.invalidateQueries({ queryKey: queries.build(String(build.id)).queryKey });
          }
        }
      });
      on<{ count: number }>('deadletters', () => client.invalidateQueries({ queryKey: ['deadletters'] }));
      on<{ events: LogEvent[] }>('events', ({ events }) => listener.current?.(events));
    }

    open();
    return () => {
      ended = true;
      clearTimeout(again);
      clearTimeout(watch);
      source?.close();
    };
  }, [client, query, may]);

  const follow = useCallback<Live['follow']>((filters, tell) => {
    listener.current = tell;
    setQuery(search(filters));
    return () => {
      if (listener.current === tell) listener.current = undefined;
    };
  }, []);
  const live = useMemo<Live>(() => ({ state, follow }), [state, follow]);
  return <Context value={live}>{children}</Context>;
}

/** A build with its update, which lacks the sample of differences. */
function merged(known: Build, news: Build): Build {
  const differences =
    news.differences && !news.differences.sample && known.differences?.sample
      ? { ...news.differences, sample: known.differences.sample }
      : news.differences;
  return { ...known, ...news, differences };
}

const kept = 300;

/** The rates with the latest ones added. Seconds without a report get the rate of the next report. */
function withRates(rates: Rates, told: Projections, before: Projections | undefined): Rates {
  const passed = before ? Math.round((Date.parse(told.at) - Date.parse(before.at)) / 1000 / rates.step) : 1;
  const steps = Math.min(kept, Math.max(0, passed));
  if (steps === 0) return rates;
  const projections = Object.fromEntries(
    told.projections.map(({ name, rate }) => [
      name,
      [...(rates.projections[name] ?? []), ...Array<number>(steps).fill(rate)].slice(-kept),
    ]),
  );
  return { ...rates, projections };
}
