import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { asked } from '../desk/as-of';
import { page } from '../desk/pages';
import type { Proposal } from '../products/changes';

type Schemas = components['schemas'];
export type PromocodeRow = Schemas['PromocodeRow'];
export type PromocodeSheet = Schemas['PromocodeSheet'];
export type PromocodeDay = PromocodeSheet['days'][number];
export type PromocodeState = PromocodeRow['state'];
export type Terms = Schemas['PromocodeTerms'];

export const promocodeStates: PromocodeState[] = ['active', 'planned', 'ended', 'used-up', 'revoked'];

export const promocodeQueries = {
  list: (query: string, state: PromocodeState | '', offset: number, at = '') =>
    queryOptions({
      queryKey: ['office', 'promocodes', query, state, offset, at],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/staff/promocodes/', {
            params: {
              query: {
                ...(query ? { query } : {}),
                ...(state ? { state } : {}),
                ...asked(at),
                limit: page,
                offset,
              },
            },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
    }),
  one: (code: string, at = '') =>
    queryOptions({
      queryKey: ['office', 'promocodes', code, at],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/staff/promocodes/{code}/', { params: { path: { code }, query: asked(at) }, signal }),
        ),
    }),
};

/** The names of the groups of customers. */
export const groupQuery = () =>
  queryOptions({
    queryKey: ['office', 'customer-groups'],
    queryFn: ({ signal }) => answer(api.GET('/api/staff/customers/groups/', { signal })),
  });

/** Random codes that a change has to issue. */
export const makeSeries = (prefix: string, count: number) =>
  answer(api.POST('/api/staff/promocodes/series/', { body: { prefix, count } }));

/** What the orders of the last days would have come to with a code of these terms. */
export const measureTerms = (terms: Terms, days: 30 | 90 | 365) =>
  answer(api.POST('/api/staff/promocodes/effect/', { body: { terms, days } }));

/** The product of an article; undefined when there is none. */
export async function productOf(article: string): Promise<{ id: string; name: string } | undefined> {
  const found = await answer(
    api.GET('/api/staff/products/', { params: { query: { query: article, limit: 20, offset: 0 } } }),
  );
  return found.results.find((one) => one.article.toLowerCase() === article.toLowerCase());
}

/** A change that gives codes these terms; null revokes them. */
export const issue = (title: string, codes: string[], terms: Terms | null, reason: string): Proposal => ({
  title,
  reason,
  items: codes.map((id) => ({ thing: 'promocode', id, field: 'terms', now: terms })),
});
