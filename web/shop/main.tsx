import '../kit/design/tokens.css';
import '../kit/design/scale.css';
import '../kit/design/base.css';
import { App, loadFirst } from './app/app';
import { BrowserRouter } from './app/browser-router';
import { isFresh, readGiven, seed } from './app/given';
import { languageOf, speak } from './app/language';
import { pageOf } from './app/pages';
import { createQueryClient } from './app/query-client';
import { show } from './app/root';
import { unfold } from './app/unfold';
import { patiently } from './design/chunk';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');

const client = createQueryClient();
const given = readGiven();
if (given) seed(client, given, isFresh(given));

const drawn = root.firstElementChild !== null;
// A page that is there already, perhaps since long, goes on in its own language.
await speak(
  drawn && document.documentElement.lang === 'kk' ? 'kk' : drawn ? 'ru' : languageOf(document.cookie),
);
// A chunk that cannot be loaded now is tried again, and answered for, by the page's own boundary.
const first = await loadFirst(location.pathname).catch(() => undefined);

// What comes after the first paint is loaded by a chunk that comes after it.
let ahead: typeof import('./app/ahead') | undefined;
const load = (pathname: string, search: string) =>
  ahead?.loadAhead(client, pageOf(pathname), pathname, search);

show(
  <BrowserRouter onMove={load}>
    <App client={client} first={first} missing={given?.missing ? location.pathname : undefined} />
  </BrowserRouter>,
  root,
  drawn,
);
unfold();
ahead = await patiently(() => import('./app/ahead'));
ahead.watchLinks(load);
