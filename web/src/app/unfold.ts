/**
 * Lays out what waits until it comes near (content-visibility in the style), a piece in each idle moment, so that none of
 * them holds up a touch. Then the page is whole for whoever takes its picture or prints it, and so are those that follow.
 */
export function unfold(): void {
  const pieces = document.querySelectorAll<HTMLElement>('section, footer, main li').values();
  const go = () => {
    for (const piece of pieces) {
      if (getComputedStyle(piece).contentVisibility !== 'auto') continue;
      piece.style.contentVisibility = 'visible';
      return later(go);
    }
    document.documentElement.dataset.whole = '';
  };
  later(go);
}

// Safari has no idle moments to call.
const later = (go: () => void) =>
  'requestIdleCallback' in window ? requestIdleCallback(go) : setTimeout(go, 50);
