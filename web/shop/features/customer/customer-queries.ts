import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import { personal, type Session, useSession } from '../../api/session';

export const customerQueries = {
  all: (of: Session | null) => [...personal(of), 'customer'] as const,
  /** The profile of who is signed in; nothing is asked for a guest. */
  profile: (of: Session | null) =>
    queryOptions({
      queryKey: [...customerQueries.all(of), 'profile'],
      queryFn: of ? ({ signal }) => answer(api.GET('/api/auth/profile/', { signal })) : skipToken,
    }),
};

/** The profile of who is signed in; without data for a guest. */
export const useProfile = () => useQuery(customerQueries.profile(useSession()));
