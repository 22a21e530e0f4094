/**
 * Lays out what waits until it comes near (content-visibility in the style), a piece in each idle moment, once somebody
 * scrolls or the page has long been there. Then it is whole for whoever takes its picture, and so are those that follow.
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
  const begin = () => {
    removeEventListener('scroll', begin);
    clearTimeout(rested);
    later(go);
  };
  const rested = setTimeout(begin, 8000);
  addEventListener('scroll', begin);
}

// Safari has no idle moments to call.
const later = (go: () => void) =>
  'requestIdleCallback' in window ? requestIdleCallback(go) : setTimeout(go, 50);
