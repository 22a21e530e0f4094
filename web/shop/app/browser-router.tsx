import { type ReactNode, startTransition, useLayoutEffect, useMemo, useState } from 'react';
import {
  createPath,
  type Location,
  NavigationType,
  type Navigator,
  parsePath,
  Router,
  type To,
} from 'react-router';

type Moment = { location: Location; navigationType: NavigationType };

/** The browser's present entry. */
const present = (): Location => ({
  pathname: location.pathname,
  search: location.search,
  hash: location.hash,
  state: history.state?.data ?? null,
  key: history.state?.key ?? 'default',
  mask: undefined,
});

const next = (to: To, state: unknown): Location => ({
  pathname: location.pathname,
  search: '',
  hash: '',
  ...(typeof to === 'string' ? parsePath(to) : to),
  state: state ?? null,
  key: crypto.randomUUID(),
  mask: undefined,
});

/**
 * The browser's history under react-router's core, five kilobytes less than its own BrowserRouter. A navigation is a
 * transition: the present page stays until the next one is ready. onMove is called before each navigation.
 */
export function BrowserRouter({
  children,
  onMove,
}: {
  children: ReactNode;
  onMove?: (pathname: string, search: string) => void;
}) {
  const [moment, setMoment] = useState<Moment>(() => ({
    location: present(),
    navigationType: NavigationType.Pop,
  }));
  const navigator = useMemo<Navigator>(() => {
    const go =
      (way: 'pushState' | 'replaceState', navigationType: NavigationType) => (to: To, state: unknown) => {
        const location = next(to, state);
        onMove?.(location.pathname, location.search);
        history[way]({ key: location.key, data: location.state }, '', createPath(location));
        startTransition(() => setMoment({ location, navigationType }));
      };
    return {
      createHref: (to) => (typeof to === 'string' ? to : createPath(to)),
      go: (delta) => history.go(delta),
      push: go('pushState', NavigationType.Push),
      replace: go('replaceState', NavigationType.Replace),
    };
  }, [onMove]);
  useLayoutEffect(() => {
    const pop = () => {
      const location = present();
      onMove?.(location.pathname, location.search);
      startTransition(() => setMoment({ location, navigationType: NavigationType.Pop }));
    };
    addEventListener('popstate', pop);
    return () => removeEventListener('popstate', pop);
  }, [onMove]);
  return (
    <Router navigator={navigator} {...moment}>
      {children}
    </Router>
  );
}
