import { painted } from '../../kit/design/painted';

const signs = ['pointerdown', 'pointermove', 'keydown', 'scroll', 'beforeprint'] as const;

/** Milliseconds after which the sections are laid out though the shopper has done nothing: the browser's search needs them. */
const patience = 10_000;

/**
 * Lays out the sections that the style defers (content-visibility), one in each idle moment, from the shopper's first
 * sign on: until then their pictures would be fetched for nobody. Then those out of sight are left to the style again, their
 * heights known: they cost nothing when a dialog or a font changes the style of the whole page. Those in sight would be gone
 * for a frame, which shoppers see and browsers count as moved.
 */
export function layOutDeferred(): void {
  const pieces = document.querySelectorAll<HTMLElement>('section, footer, main li').values();
  const laidOut: HTMLElement[] = [];
  const go = () => {
    for (const piece of pieces) {
      if (!/auto|hidden/.test(getComputedStyle(piece).contentVisibility)) continue;
      piece.style.contentVisibility = 'visible';
      laidOut.push(piece);
      // Forces the layout now. Otherwise the next frame would lay out all sections together.
      void piece.offsetHeight;
      return later(go);
    }
    const { dataset } = document.documentElement;
    dataset.revealed = '';
    // Browsers note a height in the frame that shows it.
    void painted().then(() => {
      const away = laidOut.filter((piece) => !isNear(piece));
      for (const piece of away) piece.style.contentVisibility = '';
      dataset.laidOut = '';
    });
  };
  const begin = () => {
    clearTimeout(timer);
    for (const sign of signs) removeEventListener(sign, begin);
    later(go);
  };
  const timer = setTimeout(begin, patience);
  for (const sign of signs) addEventListener(sign, begin, { passive: true });
}

/** Whether a piece is on the screen, or comes there with the next turn of a wheel or of its row. */
function isNear(piece: HTMLElement): boolean {
  const { top, bottom, left, right } = piece.getBoundingClientRect();
  return bottom > -innerHeight && top < 2 * innerHeight && right > -innerWidth && left < 2 * innerWidth;
}

/** Has all of the page laid out while something is done that needs the places of all its parts. */
export function withWholePage(act: () => void): void {
  const { dataset } = document.documentElement;
  dataset.whole = '';
  act();
  void painted().then(() => delete dataset.whole);
}

// Safari lacks requestIdleCallback.
const later = (go: () => void) =>
  'requestIdleCallback' in window ? requestIdleCallback(go) : setTimeout(go, 50);
