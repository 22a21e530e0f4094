import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import { barePhone } from '../../design/phone';
import { productQueries } from '../product/product-queries';
import type { ReviewForm } from './review-schema';

/** A review as it is sent: its product's id, the form and the photographs. */
export type NewReview = { product: string; form: ReviewForm; photos: File[] };

/** Posts the review. The same review sent again, after an answer was lost, is no second one. */
export function usePostReview() {
  const attempt = useRef<{ sent: string; key: string }>(undefined);
  return useMutation({
    networkMode: 'always',
    mutationFn: ({ product, form, photos }: NewReview) => {
      const fields = { ...form, product, rating: Number(form.rating), phone: barePhone(form.phone) };
      const sent = JSON.stringify([
        fields,
        photos.map(({ name, size, lastModified }) => [name, size, lastModified]),
      ]);
      if (attempt.current?.sent !== sent) attempt.current = { sent, key: crypto.randomUUID() };
      return answer(
        api.POST('/api/products/review/', {
          body: fields,
          bodySerializer: () => asMultipart(fields, photos),
          headers: { 'Idempotency-Key': attempt.current.key },
        }),
      );
    },
    onSuccess: (_posted, _review, _context, { client }) =>
      client.invalidateQueries({ queryKey: productQueries.all() }),
  });
}

function asMultipart(fields: object, photos: File[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  for (const photo of photos) form.append('images', photo);
  return form;
}
