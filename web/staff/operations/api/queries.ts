import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { get, search } from '../../staff/api/client';
import type {
  Actions,
  Build,
  Builds,
  DeadLetters,
  Health,
  LogPage,
  OneDeadLetter,
  Projections,
  Rates,
} from './types';

/** What the log may be narrowed to; '' is everything. */
export type LogFilters = { stream: string; type: string; actor: string; trace: string };

const named = (name: string) => encodeURIComponent(name);

export const queries = {
  projections: () =>
    queryOptions({
      queryKey: ['projections'],
      queryFn: ({ signal }) => get<Projections>('/api/ops/projections', signal),
    }),
  rates: () =>
    queryOptions({ queryKey: ['rates'], queryFn: ({ signal }) => get<Rates>('/api/ops/rates', signal) }),
  builds: () =>
    queryOptions({
      queryKey: ['builds'],
      queryFn: ({ signal }) => get<Builds>('/api/ops/builds?limit=50', signal),
    }),
  build: (id: string) =>
    queryOptions({
      queryKey: ['build', id],
      queryFn: ({ signal }) => get<Build>(`/api/ops/builds/${named(id)}`, signal),
    }),
  deadLetters: (projection: string) =>
    queryOptions({
      queryKey: ['deadletters', 'list', projection],
      queryFn: ({ signal }) => get<DeadLetters>(`/api/ops/deadletters${search({ projection })}`, signal),
    }),
  deadLetter: (projection: string, position: string) =>
    queryOptions({
      queryKey: ['deadletters', 'one', projection, position],
      queryFn: ({ signal }) =>
        get<OneDeadLetter>(`/api/ops/deadletters/${named(projection)}/${named(position)}`, signal),
    }),
  letterHistory: (projection: string) =>
    queryOptions({
      queryKey: ['deadletters', 'history', projection],
      queryFn: ({ signal }) =>
        get<Actions>(`/api/ops/deadletters/history${search({ projection, limit: 50 })}`, signal),
    }),
  log: (filters: LogFilters) =>
    infiniteQueryOptions({
      queryKey: ['log', filters],
      queryFn: ({ pageParam, signal }) =>
        get<LogPage>(`/api/ops/events${search({ ...filters, before: pageParam, limit: 50 })}`, signal),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page: LogPage) => page.next ?? undefined,
      // What is new arrives by itself, above; asking again would pull the list away under the reader.
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    }),
  health: () =>
    queryOptions({
      queryKey: ['health'],
      queryFn: ({ signal }) => get<Health>('/api/ops/health', signal),
      refetchInterval: 10_000,
    }),
};
