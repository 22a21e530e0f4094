import { createContext, useContext } from 'react';
import type { Me, Permission } from './api/types';

export const MeContext = createContext<Me | undefined>(undefined);

/** Who is signed in; only for screens behind the sign-in. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error('Nobody is signed in here.');
  return me;
}

export const useMay = (permission: Permission): boolean => useMe().permissions.includes(permission);
