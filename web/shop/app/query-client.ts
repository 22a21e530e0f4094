import { QueryClient } from '@tanstack/react-query';
import { isTransient } from '../../kit/api/problem';

/**
 * One cache for a visit; a failed question is asked twice more when the network or the server was to blame. Without a
 * network questions go out all the same: the service worker may know an answer, and a failure is said, not waited out.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 60_000,
        refetchOnWindowFocus: false,
        networkMode: 'always',
        retry: (failures, error) => failures < 2 && isTransient(error) && navigator.onLine,
      },
      mutations: { networkMode: 'always' },
    },
  });
