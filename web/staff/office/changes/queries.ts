import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { asked } from '../desk/as-of';

type Schemas = components['schemas'];
export type ChangeRow = Schemas['ChangeRow'];
export type ChangeSheet = Schemas['ChangeSheet'];
export type ChangeItem = Schemas['ChangeItemRow'];
export type ChangeStatus = Schemas['ChangeStatus'];
export type Effect = Schemas['ChangeEffect'];
export type Compared = Schemas['Comparison'];
export type DifferencePart = 'prices' | 'stock' | 'catalog';
export type EffectDays = Effect['days'];
export type ChangeAnswer = Schemas['ChangeAnswer'];
export type TouchedPage = Schemas['TouchedPage'];
export type ChangeFilters = {
  by?: string;
  status?: ChangeStatus;
  thing?: string;
  id?: string;
  from?: string;
  to?: string;
  coming?: boolean;
  month?: string;
  limit?: number;
  before?: string;
};

/** The spans of days that an effect may be of. */
export const effectSpans: EffectDays[] = [30, 90, 365];

/** How many items a page of a change has. */
export const itemsPerPage = 200;

export const changeQueries = {
  all: () => ['office', 'changes'] as const,
  list: (filters: ChangeFilters, at = '') =>
    queryOptions({
      queryKey: [...changeQueries.all(), 'list', filters, ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/staff/changes/', { params: { query: { ...filters, ...asked(at) } }, signal })),
      placeholderData: keepPreviousData,
    }),
  difference: (part: DifferencePart, from: string, to: string) =>
    queryOptions({
      queryKey: [...changeQueries.all(), 'difference', part, from, to],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/staff/history/', {
            params: { query: { part, from, ...(to ? { to } : {}) } },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
    }),
  one: (id: string, from: number, outcome: '' | 'done' | 'same' | 'conflict' | 'refused', at = '') =>
    queryOptions({
      queryKey: [...changeQueries.all(), id, from, outcome, ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/staff/changes/{id}/', {
            params: {
              path: { id },
              query: { items_from: from, ...(outcome ? { outcome } : {}), ...asked(at) },
            },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
    }),
  effects: (id: string) =>
    queryOptions({
      queryKey: [...changeQueries.all(), id, 'effects'],
      queryFn: ({ signal }) => answer(api.GET('/api/staff/changes/{id}/effect/', { ...of(id), signal })),
    }),
  pages: (id: string) =>
    queryOptions({
      queryKey: [...changeQueries.all(), id, 'pages'],
      queryFn: ({ signal }) => answer(api.GET('/api/staff/changes/{id}/pages/', { ...of(id), signal })),
      gcTime: 0,
      retry: false,
    }),
  undo: (id: string) =>
    queryOptions({
      queryKey: [...changeQueries.all(), id, 'undo'],
      queryFn: () => answer(api.POST('/api/staff/changes/{id}/undo/dry-run/', { ...of(id), body: {} })),
      gcTime: 0,
      retry: false,
    }),
};

const of = (id: string) => ({ params: { path: { id } } });

/** What a page may do about a change. Each rejects with the shop's Problem. */
export const undo = (id: string, reason: string, force: number[]) =>
  answer(api.POST('/api/staff/changes/{id}/undo/', { ...of(id), body: { reason, force } }));

/** Prices the orders of the last days with a change and without it. */
export const measure = (id: string, days: EffectDays) =>
  answer(api.POST('/api/staff/changes/{id}/effect/', { ...of(id), body: { days } }));

export type Decision = 'approve' | 'override' | 'reject' | 'cancel' | 'apply';

export const decide = (decision: Decision, id: string, reason = '') =>
  done(api.POST(`/api/staff/changes/{id}/${decision}/`, { ...of(id), body: { reason } }));

/** Where the rows that a list finds are as a file: all of them, whichever page is shown. */
export const fileOf = ({ before: _, ...filters }: ChangeFilters & { at?: string }) => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value) query.set(name, String(value));
  return `/api/staff/changes/file/?${query}`;
};

/** Whether a change waits for nobody but whoever proposed it. */
export const isDraft = ({ status, needs }: { status: ChangeStatus; needs: string[] }) =>
  status === 'waiting' && needs.length === 1 && needs[0] === 'draft';

/** Whether something of a change is still to come, so that it can be previewed. */
export const isPending = ({ status }: { status: ChangeStatus }) =>
  status === 'waiting' || status === 'planned' || status === 'applying';

/** Where a page of the storefront is as it would be with a change. */
export const previewOf = (id: string, path: string, language: 'ru' | 'kk') =>
  `/api/staff/changes/${id}/preview/?${new URLSearchParams({ path, language })}`;

/** The page that the query of such an address names. */
export const pageOf = (query: string) => new URLSearchParams(query).get('path') ?? '';
