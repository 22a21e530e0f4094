import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { asked } from '../desk/as-of';

export type Letter = components['schemas']['EditedLetter'];
export type Sentence = Letter['texts'][number];
export type Language = 'ru' | 'kk';

/** A letter to look at. */
export type Wanted = { kind: string; language: Language; text: string; texts: Record<string, string> };

export const wordingQueries = {
  letters: (at = '') =>
    queryOptions({
      queryKey: ['office', 'letter-texts', ...(at ? [at] : [])],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/staff/letters/texts/', { params: { query: asked(at) }, signal })),
    }),
  sample: (body: Wanted) =>
    queryOptions({
      queryKey: ['letter-sample', body],
      queryFn: ({ signal }) => answer(api.POST('/api/staff/letters/texts/sample/', { body, signal })),
      gcTime: 60_000,
      placeholderData: keepPreviousData,
    }),
};
