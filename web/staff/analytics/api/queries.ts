import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api, given, search, shopApi } from '../../api/client';
import type { DataSet, Ledger, Prices, Replay, Report, ReportKind, Trail } from './types';

/** What a report is asked for, as it stands in the address; the server knows the names. */
export type Asking = Record<string, string | undefined>;

/** Where a report's answer is, for a link. */
export const reportPath = (name: string, asking: Asking) =>
  `/api/analytics/reports/${encodeURIComponent(name)}/${search(asking)}`;

type Named = { id: string; name: string; child_categories?: Named[] };

const listed = (found: Named[], indent = ''): [string, string][] =>
  found.flatMap(({ id, name, child_categories }) => [
    [id, indent + name] as [string, string],
    ...listed(child_categories ?? [], `${indent}\u2003`),
  ]);

export const queries = {
  basket: (id: string) =>
    queryOptions({
      queryKey: ['basket', id],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/analytics/baskets/{id}/', { params: { path: { id } }, signal }),
        ) as Promise<Trail>,
    }),
  rules: () =>
    queryOptions({
      queryKey: ['rules'],
      queryFn: ({ signal }) => answer(api.GET('/api/analytics/rules/', { signal })) as Promise<Trail>,
    }),
  stock: (id: string, at: string, limit: number) =>
    queryOptions({
      queryKey: ['stock', id, at, limit],
      queryFn: ({ signal }): Promise<Ledger> =>
        answer(
          api.GET('/api/analytics/products/{id}/stock/', {
            params: { path: { id }, query: given({ at, limit }) },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
    }),
  prices: (id: string) =>
    queryOptions({
      queryKey: ['prices', id],
      queryFn: ({ signal }): Promise<Prices> =>
        answer(api.GET('/api/analytics/products/{id}/prices/', { params: { path: { id } }, signal })),
    }),
  /** What shoppers see of a product; 404 when it is not sold. */
  product: (id: string) =>
    queryOptions({
      queryKey: ['product', id],
      queryFn: ({ signal }) =>
        answer(shopApi.GET('/api/products/{id}/', { params: { path: { id } }, signal })),
    }),
  products: (text: string) =>
    queryOptions({
      queryKey: ['products', text],
      queryFn: ({ signal }) =>
        answer(
          shopApi.GET('/api/products/', {
            params: { query: { search: text, limit: 24, brief: true } },
            signal,
          }),
        ),
      enabled: text !== '',
    }),
  /** Ids and names of the catalog's categories, those below others after them, or of its brands. */
  names: (of: 'categories' | 'brands') =>
    queryOptions({
      queryKey: ['names', of],
      queryFn: async ({ signal }) => listed(await answer(shopApi.GET(`/api/${of}/`, { signal }))),
      staleTime: 300_000,
    }),
  reports: () =>
    queryOptions({
      queryKey: ['reports'],
      queryFn: ({ signal }): Promise<ReportKind[]> => answer(api.GET('/api/analytics/reports/', { signal })),
      staleTime: 60_000,
    }),
  report: (name: string, asking: Asking) =>
    queryOptions({
      queryKey: ['report', name, asking],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/analytics/reports/{name}/', {
            params: { path: { name }, query: given(asking) },
            signal,
          }),
        ) as Promise<Report>,
      placeholderData: keepPreviousData,
    }),
  replays: () =>
    queryOptions({
      queryKey: ['replays'],
      queryFn: ({ signal }) => answer(api.GET('/api/analytics/replays/', { signal })) as Promise<Replay[]>,
    }),
  replay: (id: string) =>
    queryOptions({
      queryKey: ['replay', id],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/analytics/replays/{id}/', { params: { path: { id } }, signal }),
        ) as Promise<Replay>,
    }),
  dataSets: () =>
    queryOptions({
      queryKey: ['datasets'],
      queryFn: ({ signal }): Promise<DataSet[]> => answer(api.GET('/api/analytics/datasets/', { signal })),
    }),
};
