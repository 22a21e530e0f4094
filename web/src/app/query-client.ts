import { QueryClient } from '@tanstack/react-query';
import { isTransient } from '../api/problem';

/** One cache for a visit; a failed question is asked twice more when the network or the server was to blame. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 60_000,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < 2 && isTransient(error),
      },
    },
  });
