import '../kit/design/tokens.css';
import '../kit/design/scale.css';
import '../kit/design/base.css';
import { BrowserRouter } from '../kit/router/history';
import { App, loadFirst } from './app/app';
import { layOutDeferred } from './app/deferred-layout';
import { languageOf, speak } from './app/language';
import { isFresh, readPageData, seedCache } from './app/page-data';
import { pageOf } from './app/pages';
import { createQueryClient } from './app/query-client';
import { show } from './app/root';
import { chunkWithRetry } from './design/chunk';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');

const client = createQueryClient();
const pageData = readPageData();
if (pageData) seedCache(client, pageData, isFresh(pageData));

const drawn = root.firstElementChild !== null;
// A rendered page keeps its language: the cookie may have changed since it was rendered.
await speak(
  drawn && document.documentElement.lang === 'kk' ? 'kk' : drawn ? 'ru' : languageOf(document.cookie),
);
// When the chunk fails to load, the page's error boundary tries again.
const first = await loadFirst(location.pathname).catch(() => undefined);

// Prefetching is not part of the first paint, so its chunk loads afterwards.
let prefetcher: typeof import('./app/prefetch') | undefined;
const load = (pathname: string, search: string) =>
  prefetcher?.prefetch(client, pageOf(pathname), pathname, search);

show(
  <BrowserRouter onMove={load}>
    <App client={client} first={first} missing={pageData?.missing ? location.pathname : undefined} />
  </BrowserRouter>,
  root,
  drawn,
);
layOutDeferred();
prefetcher = await chunkWithRetry(() => import('./app/prefetch'));
prefetcher.prefetchLinks(load);
