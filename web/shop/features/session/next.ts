import { useLocation } from '../../../kit/router/router';

const account = '/account/info';
const here = 'https://shop.invalid';

/** Where to go after signing in: a path of the shop itself. Anything else, such as another site, leads to the account. */
export function ownPath(wanted: string | null): string {
  if (!wanted?.startsWith('/')) return account;
  try {
    const { origin, pathname, search, hash } = new URL(wanted, here);
    return origin === here && !pathname.startsWith('//') ? pathname + search + hash : account;
  } catch {
    return account;
  }
}

/** The address of a page of signing in that leads on to a path of the shop. */
export const leadingTo = (page: '/login' | '/registration' | '/reset-password', path: string): string =>
  path === account ? page : `${page}?next=${encodeURIComponent(path)}`;

/** Where this page of signing in leads on to. */
export const useNext = (): string => ownPath(new URLSearchParams(useLocation().search).get('next'));
