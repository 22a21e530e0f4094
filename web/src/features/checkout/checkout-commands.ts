import { useMutation } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { answer, api } from '../../api/client';
import { type Conflict, isTransient, Problem } from '../../api/problem';
import type { OrderCreated, OrderRequest } from '../../api/types';
import { attempt } from './checkout-attempt';

/**
 * Places the order. One attempt has one key: sending the same order again, after a lost connection or a second
 * click, asks for the same order and never makes another. A changed order, or one that was answered, is a new attempt.
 */
export function usePlaceOrder() {
  return useMutation<OrderCreated, unknown, OrderRequest>({
    // Offline it fails at once, so that the shopper is told, and not silently later.
    networkMode: 'always',
    mutationFn: (order) => {
      const { key } = attempt.begin(order);
      return answer(api.POST('/api/orders/', { body: order, headers: { 'Idempotency-Key': key } }));
    },
    onError: (error) => (isTransient(error) ? attempt.lose() : attempt.settle()),
    onSuccess: (_order, _request, _context, { client }) => {
      attempt.answer();
      // The stock has changed, and so may everything a page says about it.
      void client.invalidateQueries({ queryKey: ['product'] });
    },
  });
}

/** Leads from an order that was placed to the bank, or home when there is nothing to pay now. */
export function useLeave() {
  const navigate = useNavigate();
  return (order: OrderCreated) => {
    if (order.payment_url) return location.assign(order.payment_url);
    navigate('/#success_popup');
    attempt.settle();
  };
}

/** What a 409 says: the sum has changed, or the attempt's key was used before. */
export const asConflict = (error: unknown): Conflict | undefined =>
  error instanceof Problem && error.status === 409 ? (error.body as Conflict) : undefined;
