import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isTransient } from '../../../kit/api/problem';
import { ofPersons, session, useSession } from '../../api/session';
import { useProfile } from './customer-queries';

/** Products tell whether one waits for them, and prices know one's bonuses: they depend on who asks. */
function renew(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: ['product'] });
  void client.invalidateQueries({ queryKey: ['basket'] });
}

/**
 * Is there while somebody is signed in, here or by another tab. What was shown to a guest before is asked anew, and
 * when the person goes, nothing that was known of them stays. Who has a session but no profile any more is signed out;
 * a network or a server that fails says nothing about either.
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
