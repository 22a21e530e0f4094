import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api, fileBody } from '../../api/client';
import type { components } from '../../api/schema';
import { momentOf, type Proposal, propose } from '../products/changes';

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
  blocks: () =>
    queryOptions({
      queryKey: ['office', 'content'],
      queryFn: ({ signal }) => answer(api.GET('/api/staff/content/', { signal })),
    }),
  preview: (source: string) =>
    queryOptions({
      queryKey: ['content-preview', source],
      queryFn: ({ signal }) => answer(api.POST('/api/staff/content/preview/', { body: { source }, signal })),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 60_000,
      placeholderData: keepPreviousData,
    }),
  posts: () =>
    queryOptions({
      queryKey: ['office', 'posts'],
      queryFn: ({ signal }) => answer(api.GET('/api/staff/posts/', { signal })),
    }),
  post: (id: string) =>
    queryOptions({
      queryKey: ['office', 'posts', id],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/staff/posts/{id}/', { params: { path: { id } }, signal })),
    }),
};

/** Keeps a picture in the shop's sizes. */
export const addPicture = (file: File): Promise<Picture> =>
  answer(
    api.POST('/api/staff/content/pictures/', {
      ...fileBody(file),
    }),
  );

/** Proposes items at once, or at a moment of a form's field; a draft waits until it was looked at. */
export const save = (title: string, items: Proposal['items'], at: string, draft = false) => {
  const startsAt = momentOf(at);
  return propose({ title, items, ...(startsAt ? { starts_at: startsAt } : {}), ...(draft ? { draft } : {}) });
};

/** The page of a block, and the end of the name of its Kazakh text. */
export const kazakh = '-kk';
export const pageOf = (name: string) => (name.endsWith(kazakh) ? name.slice(0, -kazakh.length) : name);
