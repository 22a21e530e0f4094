import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { answer, api } from '../../api/client';
import { type Conflict, Problem } from '../../api/problem';
import type { OrderCreated, OrderRequest } from '../../api/types';

/**
 * Places the order. One attempt has one key: sending the same order again, after a lost connection or a second
 * click, asks for the same order and never makes another. A changed order, or one after a conflict, is a new attempt.
 */
export function usePlaceOrder() {
  const attempt = useRef<{ body: string; key: string }>(undefined);
  return useMutation<OrderCreated, unknown, OrderRequest>({
    mutationFn: (order) => {
      const body = JSON.stringify(order);
      if (attempt.current?.body !== body) attempt.current = { body, key: crypto.randomUUID() };
      return answer(
        api.POST('/api/orders/', { body: order, headers: { 'Idempotency-Key': attempt.current.key } }),
      );
    },
    onError: (error) => {
      if (error instanceof Problem && error.status === 409) attempt.current = undefined;
    },
    onSuccess: (_order, _request, _context, { client }) => {
      // The stock has changed, and so may everything a page says about it.
      void client.invalidateQueries({ queryKey: ['product'] });
    },
  });
}

/** What a 409 says: the sum has changed, or the attempt's key was used before. */
export const asConflict = (error: unknown): Conflict | undefined =>
  error instanceof Problem && error.status === 409 ? (error.body as Conflict) : undefined;
