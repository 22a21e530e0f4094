import { startTransition, useEffect, useState } from 'react';

/**
 * How many of so many parts of a page are drawn: the first, and then one more at a time. A slow phone takes a tenth of a
 * second to put a long form on the page at once, and answers no touch meanwhile.
 */
export function useSteps(parts: number): number {
  const [drawn, setDrawn] = useState(1);
  useEffect(() => {
    if (drawn < parts) startTransition(() => setDrawn(drawn + 1));
  }, [drawn, parts]);
  return drawn;
}
