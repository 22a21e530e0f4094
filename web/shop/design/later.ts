import { type ComponentType, lazy } from 'react';
import { chunkWithRetry } from './chunk';

type Part<P> = { default: ComponentType<P> };

const parts: (() => Promise<void>)[] = [];

/**
 * A part of a page in a chunk of its own, that the server draws with the page and the browser hydrates when the chunk
 * is there. It stands in a Suspense of its own, which nothing above it may draw anew meanwhile.
 */
export function later<P>(load: () => Promise<Part<P>>) {
  let loaded: Part<P> | undefined;
  parts.push(async () => {
    loaded = await load();
  });
  // React draws at once what is there when it is asked for.
  const present = (part: Part<P>) =>
    // biome-ignore lint/suspicious/noThenProperty: a promise would be asked again later
    ({ then: (use: (part: Part<P>) => void) => use(part) }) as Promise<Part<P>>;
  return lazy(() => (loaded ? present(loaded) : chunkWithRetry(load)));
}

/** Settles when every part can be rendered at once, as a server that draws a page in one go needs it. */
export const loadParts = () => Promise.all(parts.map((load) => load()));
