/**
 * Lays out what waits until it comes near (content-visibility in the style), a piece in each idle moment, once the page
 * is alive. Then it is whole for whoever prints it, takes its picture or looks for words in it, and so are those that
 * follow.
 */
export function layOutDeferred(): void {
  const pieces = document.querySelectorAll<HTMLElement>('section, footer, main li').values();
  const go = () => {
    for (const piece of pieces) {
      if (!/auto|hidden/.test(getComputedStyle(piece).contentVisibility)) continue;
      piece.style.contentVisibility = 'visible';
      // Now: a frame would lay out all that came before it at once.
      void piece.offsetHeight;
      return later(go);
    }
    Object.assign(document.documentElement.dataset, { revealed: '', laidOut: '' });
  };
  later(go);
}

// Safari has no idle moments to call.
const later = (go: () => void) =>
  'requestIdleCallback' in window ? requestIdleCallback(go) : setTimeout(go, 50);
