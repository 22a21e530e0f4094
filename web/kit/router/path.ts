export type Path = { pathname: string; search: string; hash: string };
/** Where to: an address of this site, its query or hash alone, or parts of it; what is missing of the latter is empty. */
export type To = string | Partial<Path>;
export type Params = Record<string, string | undefined>;

/** The parts of an address that are there. */
export function parsePath(address: string): Partial<Path> {
  const [, pathname, search, hash] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(address) ?? [];
  return { ...(pathname && { pathname }), ...(search && { search }), ...(hash && { hash }) };
}

/** The address of parts. A query or hash may come without its mark; an empty one is none. */
export function createPath({ pathname = '/', search = '', hash = '' }: Partial<Path>): string {
  const marked = (mark: string, part: string) =>
    part && part !== mark ? (part.startsWith(mark) ? part : mark + part) : '';
  return pathname + marked('?', search) + marked('#', hash);
}

/** Where an address leads from a path: without a path of its own it stays there. */
export const resolve = (to: To, from: string): string =>
  createPath({ pathname: from, ...(typeof to === 'string' ? parsePath(to) : to) });

const decoded = (part: string) => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/**
 * What an address has for the parts of a pattern that begin with a colon, decoded; undefined when it does not fit.
 * `:name?` may be missing, `*` alone fits everything. Case and a slash at the end make no difference.
 */
export function matchPath(pattern: string, pathname: string): { params: Params } | undefined {
  const params: Params = {};
  if (pattern === '*') return { params };
  const parts = (path: string) => path.replace(/^\/+|\/+$/g, '').split('/');
  const given = parts(pathname);
  const wanted = parts(pattern);
  if (given.length > wanted.length) return undefined;
  const fits = wanted.every((part, at) => {
    const value = decoded(given[at] ?? '');
    if (!part.startsWith(':')) return part.toLowerCase() === value.toLowerCase();
    const optional = part.endsWith('?');
    params[part.slice(1, optional ? -1 : undefined)] = value || undefined;
    return optional || value !== '';
  });
  return fits ? { params } : undefined;
}
