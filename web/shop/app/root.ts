import { type ReactNode, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';

declare global {
  interface Window {
    /** Remembers the button that was pressed last, in vain, also to send a form; index.html has it listen. */
    press?: { (event: Event): void; button?: HTMLElement | null };
  }
}

/** Presses again what the page could not hear yet. From here on React hears it, and hydrates what is pressed first. */
function pressAgain() {
  if (!window.press) return;
  for (const type of ['click', 'submit']) removeEventListener(type, window.press, true);
  window.press.button?.click();
}

/** Draws the shop, or brings to life what the server has drawn of it. */
export function show(shop: ReactNode, root: Element, drawn: boolean): void {
  // In a transition hydration gives way to whatever the shopper does meanwhile.
  if (drawn) startTransition(() => void hydrateRoot(root, shop));
  else createRoot(root).render(shop);
  pressAgain();
}
