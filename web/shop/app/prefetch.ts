import type { FetchQueryOptions, QueryClient } from '@tanstack/react-query';
import { asksAt } from './asks';
import type { Listed } from './pages';

/** How long a link is pointed at before it is meant, in milliseconds. */
const meant = 60;

const nothing = () => {};

/**
 * Loads what a page asks, and its script, before it is shown. What is fresh in the cache is not asked again; what
 * fails now is the page's own to ask again, and to answer for.
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

/** Has the pages loaded whose links are pointed at, touched or focused. */
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
