import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { isTransient, Problem } from '../../../kit/api/problem';
import { useNavigate } from '../../../kit/router/router';
import { api } from '../../api/client';
import type { Conflict } from '../../api/problem-lines';
import type { OrderCreated, OrderRequest } from '../../api/types';
import { unpaidOrder } from '../order/unpaid-order';
import { attempt } from './checkout-attempt';

/** An order that stands; earlier: as it was sent before it was changed. */
export type Placed = OrderCreated & { earlier?: boolean };

/** The answer that the call understands, and the version of the program that asks. */
const understood = { Accept: 'application/json', 'App-Version': 'v1' };

const place = (order: OrderRequest, key: string) =>
  answer(api.POST('/api/orders/', { body: order, headers: { ...understood, 'Idempotency-Key': key } }));

/**
 * Places the order. One attempt has one key: sending the same order again, after a lost connection or a second
 * click, asks for the same order and never makes another. Where the key was taken by the order as it was before a
 * change, that one stands, and it is asked for instead.
 */
export function usePlaceOrder() {
  return useMutation<Placed, unknown, OrderRequest>({
    mutationKey: placing,
    // Offline it fails at once, so that the shopper is told, and not silently later.
    networkMode: 'always',
    mutationFn: async (order) => {
      const { key, earlier } = attempt.begin(order);
      try {
        return await place(order, key);
      } catch (error) {
        if (!isTaken(error)) throw error;
        for (const before of earlier) {
          const found = await place(before, key).catch((again) => {
            if (!isTaken(again)) throw again;
          });
          if (found) return { ...found, earlier: true };
        }
        throw error;
      }
    },
    onError: (error) => {
      if (isTransient(error)) attempt.lose();
      // Taken by an order that is not this person's to see, such as a guest's who has signed in since.
      else if (isTaken(error)) attempt.settle();
      else attempt.refuse();
    },
    onSuccess: (_order, _request, _context, { client }) => {
      attempt.answer();
      // The stock has changed, and so may everything a page says about it.
      void client.invalidateQueries({ queryKey: ['product'] });
    },
  });
}

const placing = ['place-order'];

/** Says whether an order is on its way, also in the moment between a click and the button that shows it. */
export function useIsPlacing() {
  const client = useQueryClient();
  return () => client.isMutating({ mutationKey: placing }) > 0;
}

/**
 * Leads from an order that was placed to the bank, or home when there is nothing to pay now. One that is not as the
 * shopper has changed it is shown first.
 */
export function useLeave() {
  const navigate = useNavigate();
  return ({ earlier, ...order }: Placed) => {
    if (earlier) {
      navigate('/checkout', { replace: true, state: { arrived: order } });
      return attempt.settle();
    }
    if (order.payment_url) {
      unpaidOrder.remember(order);
      return location.assign(order.payment_url);
    }
    navigate('/#success_popup');
    attempt.settle();
  };
}

/** What a 409 says: the sum has changed, the attempt's key was used before, or a rule forbids the order. */
export const asConflict = (error: unknown): Conflict | undefined =>
  error instanceof Problem && error.status === 409 ? (error.body as Conflict) : undefined;

/** Whether the key belongs to another order. */
const isTaken = (error: unknown) => asConflict(error)?.code === 'request/key-taken';
