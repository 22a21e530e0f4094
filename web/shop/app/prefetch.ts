import type { FetchQueryOptions, QueryClient } from '@tanstack/react-query';
import { asksAt } from './asks';
import type { Listed } from './pages';

/** A link is prefetched after the pointer has rested on it for so many milliseconds. */
const meant = 60;

const nothing = () => {};

/**
 * Fetches a page's script and queries before the page is shown. Fresh queries are not fetched again. Failures are
 * ignored: the page itself fetches again and shows the error.
 */
export function prefetch(
  client: QueryClient,
  page: Listed | undefined,
  pathname: string,
  search: string,
): void {
  if (!page || !navigator.onLine) return;
  page.load().catch(nothing);
  for (const ask of asksAt(page, pathname, search)) {
    const asked = ask.meta?.page
      ? client.infiniteQuery(ask as Parameters<QueryClient['infiniteQuery']>[0])
      : client.query(ask as FetchQueryOptions);
    asked.catch(nothing);
  }
}

/** Calls load for each link that is pointed at, touched or focused. */
export function prefetchLinks(load: (pathname: string, search: string) => void): void {
  let timer = 0;
  const forget = () => clearTimeout(timer);
  const notice = ({ target }: Event) => {
    forget();
    const link = target instanceof Element ? target.closest('a') : null;
    if (!link?.href || link.origin !== location.origin || link.target || link.hasAttribute('download'))
      return;
    timer = window.setTimeout(() => load(link.pathname, link.search), meant);
  };
  for (const event of ['pointerover', 'touchstart', 'focusin'])
    addEventListener(event, notice, { passive: true });
  for (const event of ['pointerout', 'touchmove', 'focusout'])
    addEventListener(event, forget, { passive: true });
}
