import { useEffect } from 'react';
import { isTransient } from '../../api/problem';
import { session } from '../../api/session';
import { useProfile } from './customer-queries';

/** Signs out who has a session but no profile any more. A network or server that fails says nothing about either. */
export default function ProfileCheck() {
  const { error } = useProfile();
  useEffect(() => {
    if (error && !isTransient(error)) session.end();
  }, [error]);
  return null;
}
