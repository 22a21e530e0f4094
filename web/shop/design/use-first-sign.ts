import { useEffect, useState } from 'react';

const signs = ['pointerdown', 'pointermove', 'keydown', 'scroll'] as const;

/** Whether the shopper has touched, pointed, typed or scrolled since the component appeared. */
export function useFirstSign(): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (seen) return;
    const given = () => setSeen(true);
    for (const sign of signs) addEventListener(sign, given, { once: true, passive: true });
    return () => {
      for (const sign of signs) removeEventListener(sign, given);
    };
  }, [seen]);
  return seen;
}
