import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isTransient } from '../../../kit/api/problem';
import { useSession } from '../../api/session';
import { LoadError, Skeleton } from '../../design/state';
import { orderQueries } from './order-queries';
import { OrderView } from './order-view';

/**
 * An order on its page: the number is undefined until it is known. What is not there, or is someone else's, is shown
 * as missing.
 */
export function LoadedOrder({
  id,
  letterKey,
  missing,
  children,
}: {
  id: string;
  letterKey?: string;
  missing: ReactNode;
  children: (number: number | undefined, order: ReactNode) => ReactNode;
}) {
  const signedIn = useSession();
  const { data, error, refetch } = useQuery({
    ...orderQueries.detail(signedIn, id, letterKey),
    enabled: signedIn !== null || letterKey !== undefined,
  });
  if (data) return children(data.number, <OrderView order={data} letterKey={letterKey} />);
  if (error && !isTransient(error)) return missing;
  return children(undefined, error ? <LoadError retry={() => refetch()} /> : <Skeleton kind="tile" />);
}
