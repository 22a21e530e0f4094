import { useSyncExternalStore } from 'react';

const never = () => () => {};

/**
 * False while the page is rendered on the server and during hydration. What depends on the browser's storage shows
 * a neutral skeleton until then, never a wrong 'empty'.
 */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
