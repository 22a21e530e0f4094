import './engine';
import { hashKey, type QueryClient } from '@tanstack/react-query';
import { createFinalURL, createQuerySerializer, defaultPathSerializer } from 'openapi-fetch';
import { renderToString } from 'react-dom/server';
import { entry, History, type Mover } from '../kit/router/history';
import type { Call } from './api/reading';
import { App } from './app/app';
import { addressOf, asksAt } from './app/asks';
import { heads, notFoundHead } from './app/heads';
import { keptAddress, namesRead } from './app/kept-query';
import { speak } from './app/language';
import { type PageData, seedCache } from './app/page-data';
import { type PageModule, type PageName, pageOf, pages } from './app/pages';
import { createQueryClient } from './app/query-client';
import { visitedFrom } from './app/visited';
import { beginning } from './design/beginning';
import { loadParts } from './design/later';
import { nameShop } from './features/content/shop-name';
import type { Outcome } from './routes/head';

const modules = new Map<string, PageModule>();

/** Settles when every page can be rendered. */
export const ready = Promise.all(
  pages.map(async ({ path, load }) => {
    modules.set(path, await load());
  }),
).then(loadParts);

const still: Mover = { move: () => {}, go: () => {} };

/** What React leaves where a part of the page failed or was not there yet. */
const gap = '<!--$!-->';

function cacheOf({ queries, position }: PageData) {
  const client = createQueryClient();
  seedCache(client, { queries, position }, true);
  return client;
}

/** A page's module as the build's manifest calls it. */
const moduleOf = (name: PageName) => `shop/routes/${name}.tsx`;

const querySerializer = createQuerySerializer();

/** A call as the browser sends it. */
function spell({ get, params }: Call): string {
  return createFinalURL(get, { baseUrl: '', params, querySerializer, pathSerializer: defaultPathSerializer });
}

/**
 * What the first paint at an address asks, as JSON: the address as it is kept, with nothing that does not change the
 * page, and the calls with the keys of their queries.
 */
export function asks(address: string): string {
  const { pathname, search } = entry(address);
  const page = pageOf(pathname);
  return JSON.stringify({
    at: keptAddress(page?.name, pathname, search),
    module: page && moduleOf(page.name),
    asks: asksAt(page, pathname, search).map(({ queryKey, meta }) => {
      const call = meta as Call;
      return {
        key: queryKey,
        path: spell(call),
        page: call.page,
        subject: call.subject,
        for_head: call.forHead,
      };
    }),
  });
}

/** What a page says about itself, as JSON, in the language spoken last, from the answers that are for its head. */
export function head(address: string, given: string, shop: string, origin: string): string {
  nameShop(shop);
  const answers = JSON.parse(given) as PageData;
  const { pathname, search } = entry(address);
  const page = pageOf(pathname);
  if (answers.missing || !page) return JSON.stringify(notFoundHead());
  const said = new Map(answers.queries.map(([key, answer]) => [hashKey(key), answer]));
  const outcome: Outcome = heads[page.name]({
    ...addressOf(page, pathname, search),
    path: pathname,
    origin,
    read: ((key) => said.get(hashKey(key))) as QueryClient['getQueryData'],
  });
  return JSON.stringify(
    'title' in outcome ? { ...outcome, description: beginning(outcome.description ?? '') } : outcome,
  );
}

/** The addresses that most visits begin with, as JSON, from what is given with the first page. */
export function visited(given: string): string {
  const client = cacheOf(JSON.parse(given) as PageData);
  return JSON.stringify(visitedFrom((key) => client.getQueryData(key)));
}

/**
 * The HTML of a page with what is given for it as JSON, in the language spoken last; throws when a part of the page
 * cannot be rendered.
 */
export function render(address: string, given: string, shop: string): string {
  nameShop(shop);
  const { missing, ...answers } = JSON.parse(given) as PageData;
  const client = cacheOf(answers);
  const location = entry(address);
  const found = pageOf(location.pathname);
  const page = found && modules.get(found.path);
  const html = renderToString(
    <History moment={{ location, way: 'POP' }} mover={still}>
      <App
        client={client}
        first={found && page ? { path: found.path, page } : undefined}
        missing={missing ? location.pathname : undefined}
      />
    </History>,
  );
  if (html.includes(gap)) throw new Error(`A part of ${address} was not rendered.`);
  return html;
}

/** Every page as the server and the service worker need it, as JSON: the build writes it into a file of its own. */
export const list = (): string =>
  JSON.stringify(
    pages.map(({ name, path, own, offline }) => ({
      path,
      module: moduleOf(name),
      query: namesRead(name),
      own,
      offline: offline || !own || undefined,
    })),
  );

Object.assign(globalThis, { speak, asks, head, visited, render, list });
