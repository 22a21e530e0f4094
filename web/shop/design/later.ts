import { type ComponentType, lazy } from 'react';
import { chunkWithRetry } from './chunk';

type Part<P> = { default: ComponentType<P> };

const parts: (() => Promise<void>)[] = [];

/**
 * A part of a page in a chunk of its own. The server renders it with the page; the browser hydrates it once the chunk
 * has loaded. It has a Suspense boundary of its own, and no parent may render it again until then.
 */
export function later<P>(load: () => Promise<Part<P>>) {
  let loaded: Part<P> | undefined;
  parts.push(async () => {
    loaded = await load();
  });
  // React renders a lazy component at once when its promise is settled already.
  const present = (part: Part<P>) =>
    // biome-ignore lint/suspicious/noThenProperty: a promise would be asked again later
    ({ then: (use: (part: Part<P>) => void) => use(part) }) as Promise<Part<P>>;
  return lazy(() => (loaded ? present(loaded) : chunkWithRetry(load)));
}

/** Settles when all parts are loaded: the server renders a page in one pass and cannot wait for them. */
export const loadParts = () => Promise.all(parts.map((load) => load()));
