import './design/tokens.css';
import './design/base.css';
import { createRoot } from 'react-dom/client';
import { App, loadFirst } from './app/app';
import { BrowserRouter } from './app/browser-router';
import { languageOf, speak } from './app/language';
import { createQueryClient } from './app/query-client';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');

await speak(languageOf(document.cookie));
// A chunk that cannot be loaded now is tried again, and answered for, by the page's own boundary.
const first = await loadFirst(location.pathname).catch(() => undefined);

createRoot(root).render(
  <BrowserRouter>
    <App client={createQueryClient()} first={first} />
  </BrowserRouter>,
);
