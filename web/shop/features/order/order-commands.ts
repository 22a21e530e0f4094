import { useMutation } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { api } from '../../api/client';
import { ofPersons } from '../../api/session';
import { useShownAgain } from '../../design/use-shown-again';
import { unpaidOrder } from './unpaid-order';

/** An order, and for a guest's the key of its letter's link. */
export type OrderRef = { id: string; key?: string };

const asked = ({ id, key }: OrderRef) => ({ params: { path: { id }, header: { 'X-Letter-Key': key } } });

export const useCancelOrder = () =>
  useMutation({
    mutationFn: (order: OrderRef) => answer(api.POST('/api/orders/{id}/cancellation/', asked(order))),
    // Also when it is refused: then it has changed before.
    onSettled: (_answer, _error, _order, _result, { client }) =>
      client.invalidateQueries({ queryKey: ofPersons }),
  });

/** Goods that a customer wants to bring back. */
export type ReturnWish = OrderRef & { products: { product: string; amount: number }[]; reason: string };

export const useRequestReturn = () =>
  useMutation({
    mutationFn: ({ products, reason, ...order }: ReturnWish) =>
      done(api.POST('/api/orders/{id}/return/', { ...asked(order), body: { products, reason } })),
    // Also when it is refused: then it was asked before, or the time is over.
    onSettled: (_answer, _error, _wish, _result, { client }) =>
      client.invalidateQueries({ queryKey: ofPersons }),
  });

/** Begins another attempt to pay; its answer says where. */
export function usePayOrder() {
  const pay = useMutation({
    mutationFn: (order: OrderRef) => answer(api.POST('/api/orders/{id}/payment/', asked(order))),
    onSettled: (_answer, _error, _order, _result, { client }) =>
      client.invalidateQueries({ queryKey: ofPersons }),
    onSuccess: (order) => {
      if (!order.payment_url) return;
      unpaidOrder.remember(order);
      location.assign(order.payment_url);
    },
  });
  useShownAgain(pay.reset);
  return pay;
}
