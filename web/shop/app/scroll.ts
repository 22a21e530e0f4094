import { useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigationType } from '../../kit/router/router';
import { pageOfAddress } from '../design/page-of-address';
import { withWholePage } from './deferred-layout';

/** Scroll positions of this visit by history entry. */
const positions = new Map<string, number>();

/**
 * A new page, also the next one of a list, starts at its top, with the focus on its content; going back returns to
 * where one was. A hash leads to its element, also when that arrives a little later.
 */
export function useScroll(): void {
  const { key, pathname, search, hash } = useLocation();
  const how = useNavigationType();
  const place = `${pathname} ${pageOfAddress(search)}`;
  const before = useRef(place);

  // Before the page is scrolled: the way to the top of the next page is no position of this one.
  useLayoutEffect(() => {
    history.scrollRestoration = 'manual';
    const remember = () => positions.set(key, scrollY);
    addEventListener('scroll', remember, { passive: true });
    return () => removeEventListener('scroll', remember);
  }, [key]);

  useLayoutEffect(() => {
    if (how === 'POP' && positions.has(key)) withWholePage(() => scrollTo(0, positions.get(key) ?? 0));
    else if (before.current !== place) scrollTo(0, 0);
  }, [key, how, place]);

  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    if (!hash) document.getElementById('main')?.focus({ preventScroll: true });
  }, [place, hash]);

  useEffect(() => {
    if (!hash || how === 'POP') {
      if (!hash || positions.has(key)) return;
    }
    const id = decodeURIComponent(hash.slice(1));
    const go = () => {
      const target = document.getElementById(id);
      if (target) withWholePage(() => target.scrollIntoView());
      return Boolean(target);
    };
    if (go()) return;
    const watch = new MutationObserver(() => {
      if (go()) watch.disconnect();
    });
    watch.observe(document.body, { childList: true, subtree: true });
    const timer = setTimeout(() => watch.disconnect(), 5000);
    return () => {
      watch.disconnect();
      clearTimeout(timer);
    };
  }, [hash, key, how]);
}
