import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api, given } from '../../api/client';
import type { LogPage, OneDeadLetter, SecurityPage } from './types';

/** What the log may be narrowed to; '' is everything. */
export type LogFilters = { stream: string; type: string; actor: string; trace: string };

/** What the security log may be narrowed to; '' is everything. network and email are ids of records with the same one. */
export const securityFilters = ['kind', 'outcome', 'party', 'who', 'since', 'network', 'email'] as const;
export type SecurityFilters = Record<(typeof securityFilters)[number], string>;

/** How many events a page of the log has. */
const page = 50;

/** What was appended after a position, as far as a page goes. */
export const eventsAfter = (filters: LogFilters, after: number, signal: AbortSignal): Promise<LogPage> =>
  answer(
    api.GET('/api/ops/events/', { params: { query: given({ ...filters, after, limit: page }) }, signal }),
  );

export const queries = {
  projections: () =>
    queryOptions({
      queryKey: ['projections'],
      queryFn: ({ signal }) => answer(api.GET('/api/ops/projections/', { signal })),
    }),
  rates: () =>
    queryOptions({
      queryKey: ['rates'],
      queryFn: ({ signal }) => answer(api.GET('/api/ops/rates/', { signal })),
    }),
  builds: () =>
    queryOptions({
      queryKey: ['builds'],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/ops/builds/', { params: { query: { limit: 50 } }, signal })),
    }),
  build: (id: string) =>
    queryOptions({
      queryKey: ['build', id],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/ops/builds/{id}/', { params: { path: { id: id as unknown as number } }, signal }),
        ),
    }),
  deadLetters: (projection: string) =>
    queryOptions({
      queryKey: ['deadletters', 'list', projection],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/ops/deadletters/', { params: { query: given({ projection }) }, signal })),
    }),
  deadLetter: (projection: string, position: string) =>
    queryOptions({
      queryKey: ['deadletters', 'one', projection, position],
      queryFn: ({ signal }): Promise<OneDeadLetter> =>
        answer(
          api.GET('/api/ops/deadletters/{projection}/{position}/', {
            params: { path: { projection, position: position as unknown as number } },
            signal,
          }),
        ),
    }),
  letterHistory: (projection: string) =>
    queryOptions({
      queryKey: ['deadletters', 'history', projection],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/ops/deadletters/history/', {
            params: { query: given({ projection, limit: 50 }) },
            signal,
          }),
        ),
    }),
  log: (filters: LogFilters) =>
    infiniteQueryOptions({
      queryKey: ['log', filters],
      queryFn: ({ pageParam, signal }): Promise<LogPage> =>
        answer(
          api.GET('/api/ops/events/', {
            params: { query: given({ ...filters, before: pageParam, limit: page }) },
            signal,
          }),
        ),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page: LogPage) => page.next ?? undefined,
      // What is new arrives by itself, above; asking again would pull the list away under the reader.
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    }),
  security: ({ network, email, ...filters }: SecurityFilters) =>
    infiniteQueryOptions({
      queryKey: ['security', { ...filters, network, email }],
      queryFn: ({ pageParam, signal }): Promise<SecurityPage> =>
        answer(
          api.GET('/api/ops/security/', {
            params: {
              query: given({
                ...filters,
                network: Number(network) || undefined,
                email: Number(email) || undefined,
                before: pageParam,
                limit: page,
              }),
            },
            signal,
          }),
        ),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page: SecurityPage) => page.next ?? undefined,
    }),
  health: () =>
    queryOptions({
      queryKey: ['health'],
      queryFn: ({ signal }) => answer(api.GET('/api/ops/health/', { signal })),
      refetchInterval: 10_000,
    }),
};
