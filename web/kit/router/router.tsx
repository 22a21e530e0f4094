import { type ReactNode, useCallback, useMemo } from 'react';
import { parse } from 'regexparam';
import { matchRoute, Redirect, Switch, useParams as useWouterParams, Route as WouterRoute } from 'wouter';
import { addressOf, entry, type Location, type Options, useHere, useMove, type Way } from './history';

// wouter's routes under the names that the pages use; the history below them is ours (history.tsx).
export { Redirect as Navigate, Switch as Routes };

/** The parts of an address that a route's pattern names. */
export type Params = Record<string, string | undefined>;

export const useLocation = (): Location => useHere().location;

export const useNavigationType = (): Way => useHere().way;

export const useParams = (): Params => useWouterParams<Params>();

/** The address that a link leads to: a query or hash alone stays on the page, an empty one is none. */
export function useHref(to: string): string {
  const { pathname } = useLocation();
  return addressOf(entry(to.startsWith('/') ? to : pathname + to));
}

/** Moves to an address, as a new entry or in place of the present one, or by a number of entries. */
export function useNavigate() {
  const { go } = useHere().mover;
  const move = useMove();
  return useCallback(
    (to: string | number, options?: Options) => (typeof to === 'number' ? go(to) : move(to, options)),
    [go, move],
  );
}

type Search = ConstructorParameters<typeof URLSearchParams>[0];

/** The query of the address, and what gives it another one. (wouter's own decodes it twice.) */
export function useSearchParams() {
  const { search } = useLocation();
  const move = useMove();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const set = useCallback(
    (next: Search | ((before: URLSearchParams) => Search), options?: Options) =>
      move(
        `?${new URLSearchParams(typeof next === 'function' ? next(new URLSearchParams(search)) : next)}`,
        options,
      ),
    [move, search],
  );
  return [params, set] as const;
}

type Match = Parameters<typeof WouterRoute>[0] extends { match?: infer M } ? M : never;

/** One of the Routes around it: the first that fits is drawn. */
export function Route({ path, element, match }: { path: string; element: ReactNode; match?: Match }) {
  return (
    <WouterRoute path={path} {...(match === undefined ? {} : { match })}>
      {element}
    </WouterRoute>
  );
}

/** What an address has for a pattern as routes have them; undefined when it does not fit. */
export function matchPath(pattern: string, pathname: string): { params: Params } | undefined {
  let path = pathname;
  try {
    path = decodeURI(pathname);
  } catch {
    // It is matched as it is.
  }
  const [fits, params] = matchRoute(parse, pattern, path);
  return fits ? { params: params as Params } : undefined;
}
