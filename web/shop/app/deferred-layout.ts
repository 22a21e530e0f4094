/**
 * Lays out the sections that the style defers (content-visibility), one in each idle moment after hydration. Printing,
 * screenshots and the browser's search need the whole page. Pages that are opened later are laid out at once.
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
  later(go);
}

// Safari lacks requestIdleCallback.
const later = (go: () => void) =>
  'requestIdleCallback' in window ? requestIdleCallback(go) : setTimeout(go, 50);
