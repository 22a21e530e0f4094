import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { page } from '../desk/pages';

export type DeadMail = components['schemas']['DeadMail'];

// It does not ask again by itself: each look at persons is recorded.
export const deadMail = (offset: number) =>
  queryOptions({
    queryKey: ['persons', 'letters', offset],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/staff/letters/dead/', { params: { query: { limit: page, offset } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

export const sendAgain = (letter: string) =>
  done(api.POST('/api/staff/letters/{letter}/retry/', { params: { path: { letter } }, body: {} }));
