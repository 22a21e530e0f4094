import '../src/design/tokens.css';
import '../src/design/base.css';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { createQueryClient } from '../staff/app';
import { App } from './app';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');

createRoot(root).render(
  <BrowserRouter>
    <App client={createQueryClient()} />
  </BrowserRouter>,
);
