import { useMutation } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { ofPersons } from '../../api/session';

/** An order, and for a guest's the key of its letter's link. */
export type OrderRef = { id: string; key?: string };

const asked = ({ id, key }: OrderRef) => ({ params: { path: { id }, query: { key } } });

export const useCancelOrder = () =>
  useMutation({
    mutationFn: (order: OrderRef) => answer(api.POST('/api/orders/{id}/cancellation/', asked(order))),
    // Also when it is refused: then it has changed before.
    onSettled: (_answer, _error, _order, _result, { client }) =>
      client.invalidateQueries({ queryKey: ofPersons }),
  });

/** Begins another attempt to pay; its answer says where. */
export const usePayOrder = () =>
  useMutation({
    mutationFn: (order: OrderRef) => answer(api.POST('/api/orders/{id}/payment/', asked(order))),
    onSettled: (_answer, _error, _order, _result, { client }) =>
      client.invalidateQueries({ queryKey: ofPersons }),
    onSuccess: ({ payment_url }) => {
      if (payment_url) location.assign(payment_url);
    },
  });
