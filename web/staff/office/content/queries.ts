import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api, fileBody } from '../../api/client';
import type { components } from '../../api/schema';
import { asked } from '../desk/as-of';
import { momentOf, type Proposal } from '../products/changes';

type Schemas = components['schemas'];
export type Block = Schemas['EditedBlock'];
export type EditedDocument = Schemas['EditedDocument'];
export type WrittenText = Schemas['WrittenText'];
export type Slide = Schemas['ContentSlide'];
export type PostLine = Schemas['PostLine'];
export type StaffPost = Schemas['StaffPost'];
export type Article = Schemas['Article'];
export type Picture = Schemas['CatalogPicture'];

export const contentQueries = {
  blocks: (at = '') =>
    queryOptions({
      queryKey: ['office', 'content', at],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/staff/content/', { params: { query: asked(at) }, signal })),
    }),
  preview: (source: string) =>
    queryOptions({
      queryKey: ['content-preview', source],
      queryFn: ({ signal }) => answer(api.POST('/api/staff/content/preview/', { body: { source }, signal })),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 60_000,
      placeholderData: keepPreviousData,
    }),
  posts: (at = '') =>
    queryOptions({
      queryKey: ['office', 'posts', at],
      queryFn: ({ signal }) => answer(api.GET('/api/staff/posts/', { params: { query: asked(at) }, signal })),
    }),
  post: (id: string, at = '') =>
    queryOptions({
      queryKey: ['office', 'post', id, at],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/staff/posts/{id}/', { params: { path: { id }, query: asked(at) }, signal })),
    }),
};

/** Keeps a picture in the shop's sizes. */
export const addPicture = (file: File): Promise<Picture> =>
  answer(
    api.POST('/api/staff/content/pictures/', {
      ...fileBody(file),
    }),
  );

/** A proposal of items at once, or at a moment of a form's field. */
export const proposalOf = (title: string, items: Proposal['items'], at: string): Proposal => {
  const startsAt = momentOf(at);
  return { title, items, ...(startsAt ? { starts_at: startsAt } : {}) };
};

/** The page of a block, and the end of the name of its Kazakh text. */
export const kazakh = '-kk';
export const pageOf = (name: string) => (name.endsWith(kazakh) ? name.slice(0, -kazakh.length) : name);
