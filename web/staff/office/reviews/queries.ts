import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { asked, unlessPast } from '../desk/as-of';
import { page } from '../desk/pages';

type Schemas = components['schemas'];
export type ReviewRow = Schemas['ReviewRow'];
export type ReviewState = Schemas['ReviewState'];
export type ReplyTemplate = Schemas['ReplyTemplates']['templates'][number];

export type ReviewFilters = {
  state?: ReviewState;
  stars?: number;
  photo?: boolean;
  unanswered?: boolean;
  product?: string;
  offset: number;
};

export const reviewQueries = {
  list: (filters: ReviewFilters, at = '') =>
    queryOptions({
      queryKey: ['office', 'reviews', filters, ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/staff/reviews/', {
            params: { query: { ...filters, limit: page, ...asked(at) } },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
      ...unlessPast(at, { refetchInterval: 15_000 }),
    }),
  templates: (at = '') =>
    queryOptions({
      queryKey: ['office', 'reply-templates', ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/staff/reviews/templates/', { params: { query: asked(at) }, signal })),
    }),
};

const of = (id: string) => ({ params: { path: { id } } });

/** What the queue may do. Each rejects with the shop's Problem. */
export const answerReview = (id: string, text: string) =>
  done(api.POST('/api/staff/reviews/{id}/answer/', { ...of(id), body: { text } }));

export const hideReview = (id: string, text: string) =>
  done(api.POST('/api/staff/reviews/{id}/hide/', { ...of(id), body: { text } }));

export const showReview = (id: string) =>
  done(api.POST('/api/staff/reviews/{id}/show/', { ...of(id), body: {} }));

export const removePhotos = (id: string) =>
  done(api.POST('/api/staff/reviews/{id}/remove-photos/', { ...of(id), body: {} }));

export const keepTemplates = (templates: ReplyTemplate[]) =>
  done(api.PUT('/api/staff/reviews/templates/', { body: { templates } }));

/** Where a photo is, also of a review that shoppers do not see. */
export const photo = (name: string) => `/api/staff/reviews/photos/${name}/`;

/** A template as an answer to a review. */
export const filled = (text: string, { author, product }: ReviewRow): string =>
  text.replaceAll('{name}', author).replaceAll('{product}', product);
