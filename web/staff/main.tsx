import '../kit/design/tokens.css';
import '../kit/design/scale.css';
import '../kit/design/base.css';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from '../kit/router/history';
import { App, createQueryClient } from './app';
import { rememberedLanguage, speak } from './language';
import { sectionOf } from './sections';

const place = document.getElementById('root');
if (!place) throw new Error('The page has no #root.');
const root = createRoot(place);

// The section is fetched beside the language and the question who is signed in.
sectionOf(location.pathname)
  .load()
  .catch(() => {});
speak(rememberedLanguage()).then(() =>
  root.render(
    <BrowserRouter>
      <App client={createQueryClient()} />
    </BrowserRouter>,
  ),
);
