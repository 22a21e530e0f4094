import { infiniteQueryOptions, skipToken } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import { personal, type Session } from '../../api/session';

const pageSize = 24;

export const bonusQueries = {
  all: (of: Session | null) => [...personal(of), 'bonus'] as const,
  /** The balance, what all purchases cost, and the ledger page by page, newest first. */
  ledger: (of: Session | null) =>
    infiniteQueryOptions({
      queryKey: [...bonusQueries.all(of), 'ledger'],
      queryFn: of
        ? ({ signal, pageParam }) =>
            answer(
              api.GET('/api/auth/profile/bonuses/', {
                signal,
                params: { query: { limit: pageSize, offset: pageParam } },
              }),
            )
        : skipToken,
      initialPageParam: 0,
      getNextPageParam: (last, pages) => (last.history.next ? pages.length * pageSize : undefined),
      staleTime: 0,
    }),
};
