import type { FetchQueryOptions, QueryClient } from '@tanstack/react-query';
import { asksAt } from './asks';
import { pageOf } from './pages';

/** How long a link is pointed at before it is meant, in milliseconds. */
const meant = 60;

const nothing = () => {};

/**
 * Loads what a page asks, and its script, before it is shown. What is fresh in the cache is not asked again; what
 * fails now is the page's own to ask again, and to answer for.
 */
export function loadAhead(client: QueryClient, pathname: string, search: string): void {
  const page = pageOf(pathname);
  if (!page || !navigator.onLine) return;
  page.load().catch(nothing);
  for (const ask of asksAt(pathname, search)) {
    const asked = ask.meta?.page
      ? client.infiniteQuery(ask as Parameters<QueryClient['infiniteQuery']>[0])
      : client.query(ask as FetchQueryOptions);
    asked.catch(nothing);
  }
}

/** Loads the pages whose links are pointed at, touched or focused. */
export function watchLinks(client: QueryClient): void {
  let timer = 0;
  const forget = () => clearTimeout(timer);
  const notice = ({ target }: Event) => {
    forget();
    const link = target instanceof Element ? target.closest('a') : null;
    if (!link?.href || link.origin !== location.origin || link.target || link.hasAttribute('download'))
      return;
    timer = window.setTimeout(() => loadAhead(client, link.pathname, link.search), meant);
  };
  for (const event of ['pointerover', 'touchstart', 'focusin'])
    addEventListener(event, notice, { passive: true });
  for (const event of ['pointerout', 'touchmove', 'focusout'])
    addEventListener(event, forget, { passive: true });
}
