import { useEffect, useState } from 'react';

/** How long a message that vanishes is in sight. */
const sight = 2000;

/** Whether a message is in sight: for two seconds after each attempt, or always when there are no attempts. */
export function useInSight(message: string | undefined, attempt: number | undefined): boolean {
  const shown = message && attempt !== undefined ? `${attempt} ${message}` : '';
  const [past, setPast] = useState('');
  useEffect(() => {
    if (!shown) return setPast('');
    const timer = setTimeout(() => setPast(shown), sight);
    return () => clearTimeout(timer);
  }, [shown]);
  return shown === '' || shown !== past;
}
