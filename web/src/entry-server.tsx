import './engine';
import { renderToString } from 'react-dom/server';
import { NavigationType, type Navigator, parsePath, Router } from 'react-router';
import { App } from './app/app';
import { type Given, seed } from './app/given';
import { speak } from './app/language';
import { type PageModule, pageOf, pages } from './app/pages';
import { createQueryClient } from './app/query-client';
import { loadParts } from './design/later';
import { nameShop } from './features/content/shop-name';

const modules = new Map<string, PageModule>();

/** Settles when every page can be rendered. */
export const ready = Promise.all(
  pages.map(async ({ path, load }) => {
    modules.set(path, await load());
  }),
).then(loadParts);

const still: Navigator = {
  createHref: (to) =>
    typeof to === 'string' ? to : `${to.pathname ?? ''}${to.search ?? ''}${to.hash ?? ''}`,
  go: () => {},
  push: () => {},
  replace: () => {},
};

/** What React leaves where a part of the page failed or was not there yet. */
const gap = '<!--$!-->';

/**
 * The HTML of a page with what is given for it as JSON, in the language spoken last; throws when a part of the page
 * cannot be rendered.
 */
export function render(address: string, given: string, shop: string): string {
  nameShop(shop);
  const { missing, ...answers } = JSON.parse(given) as Given;
  const client = createQueryClient();
  seed(client, answers, true);
  const location = { pathname: '/', search: '', hash: '', state: null, key: 'default', mask: undefined };
  Object.assign(location, parsePath(address));
  const found = pageOf(location.pathname);
  const page = found && modules.get(found.path);
  const html = renderToString(
    <Router navigator={still} location={location} navigationType={NavigationType.Pop} static>
      <App
        client={client}
        first={found && page ? { path: found.path, page } : undefined}
        missing={missing ? location.pathname : undefined}
      />
    </Router>,
  );
  if (html.includes(gap)) throw new Error(`A part of ${address} was not rendered.`);
  return html;
}

Object.assign(globalThis, { speak, render });
