import {
  createContext,
  type ReactNode,
  startTransition,
  useCallback,
  useContext,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react';
import { Router } from 'wouter';

/** An entry of the history: its address, what was left with it, and a key of its own. */
export type Location = {
  pathname: string;
  search: string;
  hash: string;
  // biome-ignore lint/suspicious/noExplicitAny: a page knows what it left for another one.
  state: any;
  key: string;
};

/** How the present entry was reached: POP is the first one, and back and forth. */
export type Way = 'POP' | 'PUSH' | 'REPLACE';

export type Moment = { location: Location; way: Way };

/** What moves through a history. */
export type Mover = {
  move: (way: 'PUSH' | 'REPLACE', location: Location) => void;
  go: (delta: number) => void;
};

const Here = createContext<(Moment & { mover: Mover }) | null>(null);

export function useHere() {
  const here = useContext(Here);
  if (!here) throw new Error('There is no history above this.');
  return here;
}

/** The entry of an address of this site. */
export function entry(address: string, state: unknown = null, key = 'default'): Location {
  const [, pathname, search = '', hash = ''] = /^([^?#]*)(\?[^#]+)?\??(#.+)?#?$/s.exec(address) ?? [];
  return { pathname: pathname || '/', search, hash, state, key };
}

export const addressOf = ({ pathname, search, hash }: Omit<Location, 'state' | 'key'>) =>
  pathname + search + hash;

export type Options = { replace?: boolean | undefined; state?: unknown };

/** Moves to an address; a query or hash alone stays on the page. */
export function useMove() {
  const { location, mover } = useHere();
  const { pathname } = location;
  return useCallback(
    (to: string, { replace, state = null }: Options = {}) =>
      mover.move(
        replace ? 'REPLACE' : 'PUSH',
        entry(to.startsWith('/') ? to : pathname + to, state, crypto.randomUUID()),
      ),
    [mover, pathname],
  );
}

/** The address as wouter asks for it. */
const usePlace = () => [useHere().location.pathname, useMove()] as [string, ReturnType<typeof useMove>];

/** Gives what is below it a history, to which wouter's routes belong. */
export function History({ moment, mover, children }: { moment: Moment; mover: Mover; children: ReactNode }) {
  const value = useMemo(() => ({ ...moment, mover }), [moment, mover]);
  return (
    <Here value={value}>
      <Router hook={usePlace}>{children}</Router>
    </Here>
  );
}

const present = (): Location => ({
  pathname: location.pathname,
  search: location.search,
  hash: location.hash,
  state: history.state?.data ?? null,
  key: history.state?.key ?? 'default',
});

/**
 * The browser's history. A navigation is a transition: the present page stays until the next one is ready. onMove is
 * called before each.
 */
export function BrowserRouter({
  children,
  onMove,
}: {
  children: ReactNode;
  onMove?: (pathname: string, search: string) => void;
}) {
  const [moment, setMoment] = useState<Moment>(() => ({ location: present(), way: 'POP' }));
  const show = useCallback(
    (way: Way, location: Location) => {
      onMove?.(location.pathname, location.search);
      startTransition(() => setMoment({ location, way }));
    },
    [onMove],
  );
  const mover = useMemo<Mover>(
    () => ({
      move: (way, location) => {
        const change = way === 'PUSH' ? 'pushState' : 'replaceState';
        history[change]({ key: location.key, data: location.state }, '', addressOf(location));
        show(way, location);
      },
      go: (delta) => history.go(delta),
    }),
    [show],
  );
  useLayoutEffect(() => {
    const pop = () => show('POP', present());
    addEventListener('popstate', pop);
    return () => removeEventListener('popstate', pop);
  }, [show]);
  return (
    <History moment={moment} mover={mover}>
      {children}
    </History>
  );
}
