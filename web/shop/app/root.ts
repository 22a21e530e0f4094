import { type ReactNode, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';

declare global {
  interface Window {
    /** The listener of index.html: it remembers the last button that was pressed before hydration. */
    press?: { (event: Event): void; button?: HTMLElement | null };
  }
}

/** Repeats the press that came before hydration. From here on React handles presses, and hydrates their targets first. */
function pressAgain() {
  if (!window.press) return;
  for (const type of ['click', 'submit']) removeEventListener(type, window.press, true);
  window.press.button?.click();
}

/** Renders the shop, or hydrates what the server has rendered. */
export function show(shop: ReactNode, root: Element, drawn: boolean): void {
  // As a transition, hydration yields to the shopper's input.
  if (drawn) startTransition(() => void hydrateRoot(root, shop));
  else createRoot(root).render(shop);
  pressAgain();
}
