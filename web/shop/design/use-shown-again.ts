import { useEffect, useRef } from 'react';

/** Runs when the browser shows the page again from its back/forward cache. */
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
