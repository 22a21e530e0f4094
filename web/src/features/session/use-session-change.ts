import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { ofPersons, useSession } from '../../api/session';

/**
 * When somebody signs in or out, here or in another tab, nothing that was known of the person before stays, and what
 * depends on who asks is asked anew: products, which tell whether one waits for them, and prices.
 */
export function useSessionChange(): void {
  const client = useQueryClient();
  const token = useSession()?.token;
  const before = useRef(token);
  useEffect(() => {
    if (before.current === token) return;
    before.current = token;
    client.removeQueries({ queryKey: ofPersons, type: 'inactive' });
    void client.invalidateQueries({ queryKey: ['product'] });
    void client.invalidateQueries({ queryKey: ['basket'] });
  }, [token, client]);
}
