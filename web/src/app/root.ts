import { type ReactNode, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';

/** Draws the shop, or brings to life what the server has drawn of it. */
export function show(shop: ReactNode, root: Element, drawn: boolean): void {
  // In a transition hydration gives way to whatever the shopper does meanwhile.
  if (drawn) startTransition(() => void hydrateRoot(root, shop));
  else createRoot(root).render(shop);
}
