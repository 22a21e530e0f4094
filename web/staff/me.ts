import { queryOptions } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { answer } from '../kit/api/answer';
import { api } from './api/client';
import type { Me, Permission } from './api/types';

/** Who is signed in; null once nobody is. */
export const whoIs = () =>
  queryOptions({
    queryKey: ['me'],
    queryFn: ({ signal }): Promise<Me | null> => answer(api.GET('/api/staff/me/', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const MeContext = createContext<Me | undefined>(undefined);

/** Who is signed in; only for screens behind the sign-in. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error('Nobody is signed in here.');
  return me;
}

export const useMay = (permission: Permission): boolean => useMe().permissions.includes(permission);
