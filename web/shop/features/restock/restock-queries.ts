import { queryOptions, skipToken, useMutation } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import { personal, type Session, useSession } from '../../api/session';

export const restockQueries = {
  all: (of: Session | null) => [...personal(of), 'restock'] as const,
  /** The ids of the products that the customer waits for; nothing is asked for a guest. */
  waits: (of: Session | null) =>
    queryOptions({
      queryKey: [...restockQueries.all(of), 'waits'],
      queryFn: of ? ({ signal }) => answer(api.GET('/api/subscriptions/products/', { signal })) : skipToken,
    }),
};

/** Puts the customer on the product's waiting list. */
export function useSubscribe(product: string) {
  const session = useSession();
  return useMutation({
    networkMode: 'always',
    mutationFn: () =>
      answer(api.POST('/api/subscriptions/products/{id}/', { params: { path: { id: product } } })),
    onSuccess: (_answer, _nothing, _context, { client }) =>
      client.invalidateQueries({ queryKey: restockQueries.all(session) }),
  });
}

/** Takes the customer off a product's waiting list. */
export function useUnsubscribe() {
  const session = useSession();
  return useMutation({
    mutationFn: (product: string) =>
      answer(api.DELETE('/api/subscriptions/products/{id}/', { params: { path: { id: product } } })),
    onSuccess: (_answer, _product, _context, { client }) => {
      void client.invalidateQueries({ queryKey: ['product'] });
      return client.invalidateQueries({ queryKey: restockQueries.all(session) });
    },
  });
}
