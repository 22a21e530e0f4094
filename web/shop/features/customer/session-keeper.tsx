import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isTransient } from '../../../kit/api/problem';
import { ofPersons, session, useSession } from '../../api/session';
import { useProfile } from './customer-queries';

/** These answers depend on the customer: products say whether the customer waits for them, prices know the bonuses. */
function renew(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: ['product'] });
  void client.invalidateQueries({ queryKey: ['basket'] });
}

/**
 * Mounted while a customer is signed in, here or by another tab. It refetches what a guest was shown before, and drops
 * all personal data from the cache when the customer signs out. A customer whose profile is gone is signed out; failures
 * of the network or the server change nothing.
 */
export default function SessionKeeper() {
  const client = useQueryClient();
  const token = useSession()?.token;
  const { error } = useProfile();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another token is another session
  useEffect(() => {
    renew(client);
    return () => {
      client.removeQueries({ queryKey: ofPersons });
      renew(client);
    };
  }, [token, client]);
  useEffect(() => {
    if (error && !isTransient(error)) session.end();
  }, [error]);
  return null;
}
