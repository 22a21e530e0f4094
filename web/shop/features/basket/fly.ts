import { basketIconId } from './basket-store';

const move = 2000;
const fade = 1000;

/**
 * A copy of the picture flies to the basket icon in two seconds and fades in one. Not for those who asked for less
 * motion.
 */
export function flyToBasket(from: Element | null): void {
  const icon = document.getElementById(basketIconId);
  if (!from || !icon || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const start = from.getBoundingClientRect();
  const end = icon.getBoundingClientRect();
  if (start.width === 0) return;
  const copy = from.cloneNode(true) as HTMLElement;
  copy.setAttribute('aria-hidden', 'true');
  copy.removeAttribute('id');
  Object.assign(copy.style, {
    position: 'fixed',
    left: `${start.left}px`,
    top: `${start.top}px`,
    width: `${start.width}px`,
    height: `${start.height}px`,
    margin: '0',
    zIndex: '60',
    pointerEvents: 'none',
  });
  document.body.append(copy);
  const x = end.left + end.width / 2 - start.left - start.width / 2;
  const y = end.top + end.height / 2 - start.top - start.height / 2;
  const small = 28 / start.width;
  const flight = copy.animate(
    [
      { transform: 'none' },
      { transform: `translate(${x * 0.35}px, ${y * 0.8 - 40}px) scale(${0.45 + small / 2})`, offset: 0.55 },
      { transform: `translate(${x}px, ${y}px) scale(${small})`, borderRadius: '99px' },
    ],
    { duration: move, easing: 'cubic-bezier(.4, 0, .1, 1)', fill: 'forwards' },
  );
  flight.finished
    .then(() => copy.animate([{ opacity: 1 }, { opacity: 0 }], { duration: fade, fill: 'forwards' }).finished)
    .catch(() => undefined) // A cancelled animation is no failure; the copy goes either way.
    .finally(() => copy.remove());
}
