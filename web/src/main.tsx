import './design/tokens.css';
import './design/base.css';
import { startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { App, loadFirst } from './app/app';
import { BrowserRouter } from './app/browser-router';
import { isFresh, readGiven, seed } from './app/given';
import { languageOf, speak } from './app/language';
import { createQueryClient } from './app/query-client';

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

const shop = (
  <BrowserRouter>
    <App client={client} first={first} missing={given?.missing ? location.pathname : undefined} />
  </BrowserRouter>
);
// In a transition hydration gives way to whatever the shopper does meanwhile.
if (drawn) startTransition(() => void hydrateRoot(root, shop));
else createRoot(root).render(shop);
