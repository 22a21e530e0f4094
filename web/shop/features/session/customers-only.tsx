import { type ReactNode, useEffect, useState } from 'react';
import { addressOf } from '../../../kit/router/history';
import { useLocation, useNavigate } from '../../../kit/router/router';
import { session, useSession } from '../../api/session';
import { useHydrated } from '../../design/hydrated';
import { leadingTo } from './next';

/**
 * What only customers see; the place for it until the browser knows who is there. A guest, or one whose session has
 * expired, signs in and comes back; who signs out goes home.
 */
export function CustomersOnly({ children, waiting }: { children: ReactNode; waiting: ReactNode }) {
  const hydrated = useHydrated();
  const present = useSession();
  const navigate = useNavigate();
  const here = addressOf(useLocation());
  const [seen, setSeen] = useState(present !== null);
  if (present && !seen) setSeen(true);
  const guest = hydrated && !present;
  useEffect(() => {
    if (!guest) return;
    const left = seen && session.wasLeft();
    navigate(left ? '/' : leadingTo('/login', here), { replace: true });
  }, [guest, seen, here, navigate]);
  return present ? children : waiting;
}
