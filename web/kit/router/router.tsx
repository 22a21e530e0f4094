import {
  Children,
  createContext,
  isValidElement,
  type ReactElement,
  type ReactNode,
  startTransition,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react';
import { createPath, matchPath, type Params, type Path, parsePath, resolve, type To } from './path';

/** An entry of the history: its address, what was left with it, and a key of its own. */
// biome-ignore lint/suspicious/noExplicitAny: a page knows what it left for another one.
export type Location = Path & { state: any; key: string };

/** How the present entry was reached: POP is the first one, and back and forth. */
export type Way = 'POP' | 'PUSH' | 'REPLACE';

export type Moment = { location: Location; way: Way };

/** What moves through a history. */
export type Mover = {
  move: (way: 'PUSH' | 'REPLACE', location: Location) => void;
  go: (delta: number) => void;
};

const Here = createContext<(Moment & { mover: Mover }) | null>(null);
const Matched = createContext<Params>({});

export const entry = (address: string, state: unknown = null, key = 'default'): Location => ({
  pathname: '/',
  search: '',
  hash: '',
  ...parsePath(address),
  state,
  key,
});

/** Gives what is below it a history. */
export function Router({ moment, mover, children }: { moment: Moment; mover: Mover; children: ReactNode }) {
  const value = useMemo(() => ({ ...moment, mover }), [moment, mover]);
  return <Here value={value}>{children}</Here>;
}

function useHere() {
  const here = useContext(Here);
  if (!here) throw new Error('There is no Router above this.');
  return here;
}

export const useLocation = (): Location => useHere().location;

export const useNavigationType = (): Way => useHere().way;

/** The parts of the address that the nearest route names. */
export const useParams = (): Params => useContext(Matched);

/** The address that a link leads to. */
export const useHref = (to: To): string => resolve(to, useLocation().pathname);

export type Navigate = {
  (to: To, options?: { replace?: boolean | undefined; state?: unknown }): void;
  (delta: number): void;
};

/** Moves to an address, as a new entry or in place of the present one, or by a number of entries. */
export function useNavigate(): Navigate {
  const { location, mover } = useHere();
  const { pathname } = location;
  return useCallback(
    (
      to: To | number,
      { replace = false, state = null }: { replace?: boolean | undefined; state?: unknown } = {},
    ) => {
      if (typeof to === 'number') return mover.go(to);
      mover.move(replace ? 'REPLACE' : 'PUSH', entry(resolve(to, pathname), state, crypto.randomUUID()));
    },
    [mover, pathname],
  );
}

/** Moves on as soon as it is drawn. */
export function Navigate({ to, replace }: { to: To; replace?: boolean }) {
  const navigate = useNavigate();
  const address = useHref(to);
  useEffect(() => navigate(address, { replace }), [navigate, address, replace]);
  return null;
}

type Search = ConstructorParameters<typeof URLSearchParams>[0];

/** The query of the address, and what gives it another one. */
export function useSearchParams() {
  const { search } = useLocation();
  const navigate = useNavigate();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const set = useCallback(
    (next: Search | ((before: URLSearchParams) => Search), options?: { replace?: boolean }) =>
      navigate(
        {
          search: `${new URLSearchParams(typeof next === 'function' ? next(new URLSearchParams(search)) : next)}`,
        },
        options,
      ),
    [navigate, search],
  );
  return [params, set] as const;
}

type RouteProps = { path: string; element: ReactNode };

/** One of the Routes around it. */
export function Route(_: RouteProps): ReactNode {
  return null;
}

/** The routes under fragments and lists too. */
const routesIn = (children: ReactNode): RouteProps[] =>
  Children.toArray(children)
    .filter((child): child is ReactElement<RouteProps> => isValidElement(child))
    .map(({ props }) => props);

/** Where a part of a path is fixed it goes before one that is not, and that before `*`. */
const rank = (path: string) => path.replace(/:[^/]*/g, '~').replace(/\*/g, '~');

/** The route that fits the address, the one with more fixed parts first. */
export function Routes({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  const found = routesIn(children)
    .map((route) => ({ ...route, match: matchPath(route.path, pathname) }))
    .filter(({ match }) => match)
    .sort((a, b) => (rank(a.path) < rank(b.path) ? -1 : rank(a.path) > rank(b.path) ? 1 : 0))[0];
  return found ? <Matched value={found.match?.params ?? {}}>{found.element}</Matched> : null;
}

/** Names the parts of the address for what is below it, as a route does. */
export const WithParams = ({ params, children }: { params: Params; children: ReactNode }) => (
  <Matched value={params}>{children}</Matched>
);

/** The browser's present entry. */
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
        history[change]({ key: location.key, data: location.state }, '', createPath(location));
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
    <Router moment={moment} mover={mover}>
      {children}
    </Router>
  );
}
