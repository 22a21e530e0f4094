import { useMutation } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';

/** What is to be forgotten, and the key of the letter's link. */
export type Forgotten = { id: string; key: string };

const asked = ({ id, key }: Forgotten) => ({ params: { path: { id }, header: { 'X-Letter-Key': key } } });

/** Has the shop forget who made a guest's order. */
export const useForgetOrder = () =>
  useMutation({
    mutationFn: (what: Forgotten) => answer(api.POST('/api/orders/{id}/erasure/', asked(what))),
  });

/** Has the shop forget who wrote a review. */
export const useForgetReview = () =>
  useMutation({
    mutationFn: (what: Forgotten) => answer(api.POST('/api/reviews/{id}/erasure/', asked(what))),
  });
