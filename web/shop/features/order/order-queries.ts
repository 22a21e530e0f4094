import { queryOptions, skipToken } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import { personal, type Session } from '../../api/session';

export const orderQueries = {
  all: (of: Session | null) => [...personal(of), 'order'] as const,
  /** One's own orders, newest first: all of them, or those that are still on their way. */
  list: (of: Session | null, active: boolean) =>
    queryOptions({
      queryKey: [...orderQueries.all(of), 'list', active],
      queryFn: of
        ? ({ signal }) =>
            answer(
              api.GET('/api/orders/', { signal, params: { query: active ? { active: true } : undefined } }),
            )
        : skipToken,
      // Staff and the bank change orders: an opened page asks anew.
      staleTime: 0,
    }),
  /** One's own order, or a guest's with the key of its letter's link. */
  detail: (of: Session | null, id: string, key?: string) =>
    queryOptions({
      queryKey: [...orderQueries.all(of), 'detail', id, key],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/orders/{id}/', { signal, params: { path: { id }, header: { 'X-Letter-Key': key } } }),
        ),
      staleTime: 0,
    }),
};
