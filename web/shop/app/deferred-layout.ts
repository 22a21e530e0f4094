const signs = ['pointerdown', 'pointermove', 'keydown', 'scroll', 'beforeprint'] as const;

/** Milliseconds after which the sections are laid out though the shopper has done nothing: the browser's search needs them. */
const patience = 10_000;

/**
 * Lays out the sections that the style defers (content-visibility), one in each idle moment, from the shopper's first
 * sign on: until then their pictures would be fetched for nobody. Pages that are opened later are laid out at once.
 */
export function layOutDeferred(): void {
  const pieces = document.querySelectorAll<HTMLElement>('section, footer, main li').values();
  const go = () => {
    for (const piece of pieces) {
      if (!/auto|hidden/.test(getComputedStyle(piece).contentVisibility)) continue;
      piece.style.contentVisibility = 'visible';
      // Forces the layout now. Otherwise the next frame would lay out all sections together.
      void piece.offsetHeight;
      return later(go);
    }
    Object.assign(document.documentElement.dataset, { revealed: '', laidOut: '' });
  };
  const begin = () => {
    clearTimeout(timer);
    for (const sign of signs) removeEventListener(sign, begin);
    later(go);
  };
  const timer = setTimeout(begin, patience);
  for (const sign of signs) addEventListener(sign, begin, { passive: true });
}

// Safari lacks requestIdleCallback.
const later = (go: () => void) =>
  'requestIdleCallback' in window ? requestIdleCallback(go) : setTimeout(go, 50);
