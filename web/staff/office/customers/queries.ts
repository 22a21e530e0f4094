import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { asked } from '../desk/as-of';
import { page } from '../desk/pages';

type Schemas = components['schemas'];
export type CustomerRow = Schemas['CustomerRow'];
export type CustomerSheet = Schemas['CustomerSheet'];
export type CustomerState = NonNullable<Schemas['CustomerSearch']['state']>;
export type LedgerEntry = Schemas['LedgerEntry'];

// Neither asks again by itself or when the office is told of a change: each look at persons is recorded.
export const customerQueries = {
  list: (query: string, state: CustomerState, group: string, offset: number, at = '') =>
    queryOptions({
      queryKey: ['persons', 'customers', query, state, group, offset, at],
      queryFn: ({ signal }) =>
        answer(
          api.POST('/api/staff/customers/search/', {
            params: { query: asked(at) },
            body: { query, state, group, limit: page, offset },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
      staleTime: 60_000,
    }),
  /** The groups that somebody is in. */
  groups: (at = '') =>
    queryOptions({
      queryKey: ['office', 'customers', 'groups', ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/staff/customers/groups/', { params: { query: asked(at) }, signal })),
    }),
  one: (id: string, at = '') =>
    queryOptions({
      queryKey: ['persons', 'customer', id, ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/staff/customers/{id}/', { params: { path: { id }, query: asked(at) }, signal })),
      staleTime: 60_000,
    }),
};

const of = (id: string) => ({ params: { path: { id } } });

/** What a customer's page may do. Each rejects with the shop's Problem. */
export const noteCustomer = (id: string, text: string) =>
  done(api.POST('/api/staff/customers/{id}/notes/', { ...of(id), body: { text } }));

/** Puts a customer into a group, or takes them out of it. */
export const groupCustomer = (id: string, group: string, isIn: boolean) =>
  done(api.POST('/api/staff/customers/{id}/groups/', { ...of(id), body: { group, in: isIn } }));

/** The adjustment's own id makes a repeat harmless. */
export const adjustBonuses = (id: string, adjustment: string, amount: number, reason: string) =>
  done(
    api.POST('/api/staff/customers/{id}/bonuses/', { ...of(id), body: { id: adjustment, amount, reason } }),
  );

export const endSessions = (id: string) => answer(api.DELETE('/api/staff/customers/{id}/sessions/', of(id)));

export const exportCustomer = (id: string, reason: string) =>
  answer(api.POST('/api/staff/customers/{id}/export/', { ...of(id), body: { reason } }));

export const proposeErasure = (id: string, reason: string) =>
  done(api.POST('/api/staff/customers/{id}/erasure/', { ...of(id), body: { reason } }));

export const confirmErasure = (id: string) =>
  done(api.POST('/api/staff/customers/{id}/erasure/confirmation/', { ...of(id), body: {} }));

export const withdrawErasure = (id: string) =>
  done(api.POST('/api/staff/customers/{id}/erasure/withdrawal/', { ...of(id), body: {} }));
