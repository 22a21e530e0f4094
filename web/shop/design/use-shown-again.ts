import { useEffect, useRef } from 'react';

/** Runs when the browser's own button leads back to the page from another site, as the page was left. */
export function useShownAgain(run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const shown = (event: PageTransitionEvent) => {
      if (event.persisted) latest.current();
    };
    addEventListener('pageshow', shown);
    return () => removeEventListener('pageshow', shown);
  }, []);
}
