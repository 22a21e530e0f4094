import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, search } from '../../staff/api/client';
import type {
  DataSet,
  Ledger,
  OrderTrail,
  Prices,
  Product,
  Replay,
  Report,
  ReportKind,
  Trail,
} from './types';

const named = (name: string) => encodeURIComponent(name);
const api = '/api/analytics';

/** What a report is asked for, as it stands in the address; the server knows the names. */
export type Asking = Record<string, string | undefined>;

/** Where a report's answer is. */
export const reportPath = (name: string, asking: Asking) => `${api}/reports/${named(name)}/${search(asking)}`;

type Named = { id: string; name: string; child_categories?: Named[] };

const listed = (found: Named[], indent = ''): [string, string][] =>
  found.flatMap(({ id, name, child_categories }) => [
    [id, indent + name] as [string, string],
    ...listed(child_categories ?? [], `${indent}\u2003`),
  ]);

export const queries = {
  order: (number: string) =>
    queryOptions({
      queryKey: ['order', number],
      queryFn: ({ signal }) => get<OrderTrail>(`${api}/orders/${named(number)}/`, signal),
    }),
  basket: (id: string) =>
    queryOptions({
      queryKey: ['basket', id],
      queryFn: ({ signal }) => get<Trail>(`${api}/baskets/${named(id)}/`, signal),
    }),
  rules: () =>
    queryOptions({ queryKey: ['rules'], queryFn: ({ signal }) => get<Trail>(`${api}/rules/`, signal) }),
  stock: (id: string, at: string, limit: number) =>
    queryOptions({
      queryKey: ['stock', id, at, limit],
      queryFn: ({ signal }) =>
        get<Ledger>(`${api}/products/${named(id)}/stock/${search({ at, limit })}`, signal),
      placeholderData: keepPreviousData,
    }),
  prices: (id: string) =>
    queryOptions({
      queryKey: ['prices', id],
      queryFn: ({ signal }) => get<Prices>(`${api}/products/${named(id)}/prices/`, signal),
    }),
  /** What shoppers see of a product; 404 when it is not sold. */
  product: (id: string) =>
    queryOptions({
      queryKey: ['product', id],
      queryFn: ({ signal }) => get<Product>(`/api/products/${named(id)}/`, signal),
    }),
  products: (text: string) =>
    queryOptions({
      queryKey: ['products', text],
      queryFn: ({ signal }) =>
        get<{ count: number; results: Product[] }>(
          `/api/products/${search({ search: text, limit: 24 })}`,
          signal,
        ),
      enabled: text !== '',
    }),
  /** Ids and names of the catalog's categories, those below others after them, or of its brands. */
  names: (of: 'categories' | 'brands') =>
    queryOptions({
      queryKey: ['names', of],
      queryFn: async ({ signal }) => listed(await get<Named[]>(`/api/${of}/`, signal)),
      staleTime: 300_000,
    }),
  reports: () =>
    queryOptions({
      queryKey: ['reports'],
      queryFn: ({ signal }) => get<ReportKind[]>(`${api}/reports/`, signal),
      staleTime: 60_000,
    }),
  report: (name: string, asking: Asking) =>
    queryOptions({
      queryKey: ['report', name, asking],
      queryFn: ({ signal }) => get<Report>(reportPath(name, asking), signal),
      placeholderData: keepPreviousData,
    }),
  replays: () =>
    queryOptions({
      queryKey: ['replays'],
      queryFn: ({ signal }) => get<Replay[]>(`${api}/replays/`, signal),
    }),
  replay: (id: string) =>
    queryOptions({
      queryKey: ['replay', id],
      queryFn: ({ signal }) => get<Replay>(`${api}/replays/${named(id)}/`, signal),
    }),
  dataSets: () =>
    queryOptions({
      queryKey: ['datasets'],
      queryFn: ({ signal }) => get<DataSet[]>(`${api}/datasets/`, signal),
    }),
};
