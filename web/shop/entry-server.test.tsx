import { act, waitFor } from '@testing-library/react';
import { hydrateRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BrowserRouter } from '../kit/router/history';
import { serve } from '../kit/testing/server';
import { App, loadFirst } from './app/app';
import { speak } from './app/language';
import { type PageData, seedCache } from './app/page-data';
import { pages } from './app/pages';
import { createQueryClient } from './app/query-client';
import { ready, render } from './entry-server';
import { recorded } from './testing/answers';

const { product, products, categories } = recorded;
const child = categories.flatMap((category) => category.child_categories)[0];
if (!child) throw new Error('the recorded tree has no children');
const brand = {
  id: 'b',
  link: 'ostara',
  name: 'Ostara',
  description: '',
  products_count: 1,
  popular_place: 1,
  image: null,
};

/** What the server gives with every page of these addresses. */
const given: PageData = {
  position: '7',
  queries: [
    [['category', 'tree'], categories],
    [['content', 'rules'], recorded.rules],
    [['content', 'shop'], recorded.shop],
    [['content', 'home'], recorded.home],
    [
      ['content', 'block', 'discount-text'],
      {
        name: 'discount-text',
        text: 'Скидка от 30 000 ₸',
        text_kk: '',
        file_content: [],
        file_content_kk: [],
      },
    ],
    [['product', 'popular'], products],
    [['product', 'fresh'], products],
    [['brand', 'list', ''], [brand]],
    [['brand', 'list', child.link], [brand]],
    [
      ['brand', 'detail', 'ostara'],
      { ...brand, main_image: null, picture: null, products: products.results },
    ],
    [['product', 'detail', product.link], product],
    [['product', 'similar', product.link], products],
    [['product', 'list', { category: child.link, brands: [] }, 1], { pages: [products], pageParams: [1] }],
  ],
};

const addresses: Record<string, string> = {
  '/categories/:id?': '/categories',
  '/category/:id': `/category/${child.link}`,
  '/product/:id': `/product/${product.link}`,
  '/brands/:id': '/brands/ostara',
};
const at = ({ path }: { path: string }) => addresses[path] ?? path.replace(/\/:\w+\??/g, '/some');

let root: Root | undefined;

beforeEach(async () => {
  await ready;
  vi.spyOn(console, 'error');
});

afterEach(() => {
  act(() => root?.unmount());
  root = undefined;
  document.body.innerHTML = '';
});

/** The page as the engine sees it: without a window. */
function renderBare(address: string, what: PageData): string {
  const { window, document } = globalThis;
  try {
    Object.assign(globalThis, { window: undefined, document: undefined });
    return render(address, JSON.stringify(what), 'Дала');
  } finally {
    Object.assign(globalThis, { window, document });
  }
}

async function hydrate(html: string, what: PageData) {
  const client = createQueryClient();
  seedCache(client, what, true);
  const first = await loadFirst(location.pathname);
  const place = document.createElement('div');
  place.innerHTML = html;
  document.body.append(place);
  const refused: unknown[] = [];
  await act(async () => {
    root = hydrateRoot(
      place,
      <BrowserRouter>
        <App client={client} first={first} missing={what.missing ? location.pathname : undefined} />
      </BrowserRouter>,
      { onRecoverableError: (error) => refused.push(error) },
    );
  });
  return refused;
}

test.each(pages.map(at))('%s is rendered without a window and hydrates as it is', async (address) => {
  serve({});
  history.replaceState(null, '', address);
  const html = renderBare(address, given);
  expect(html).toMatch(/<h1|skeleton/);
  expect(await hydrate(html, given)).toEqual([]);
  expect(console.error).not.toHaveBeenCalled();
});

test.each(['/order/:id', '/account/order/:id'])('%s is one page for every order', async (path) => {
  serve({});
  const html = renderBare(path.replace(':id', '{id}'), given);
  history.replaceState(null, '', path.replace(':id', '0199c0de'));
  expect(await hydrate(html, given)).toEqual([]);
  expect(console.error).not.toHaveBeenCalled();
});

test('the way back from the bank hydrates, and then says how it went', async () => {
  serve({ 'GET /api/shop/': recorded.shop });
  const html = renderBare('/', given);
  history.replaceState(null, '', '/#error_popup');
  expect(await hydrate(html, given)).toEqual([]);
  await waitFor(() => expect(document.querySelector('dialog[open] h2')).toBeTruthy());
});

test('what is not there is the not-found page, also under the address of a product', async () => {
  const missing = { ...given, missing: true };
  const html = renderBare('/404', missing);
  expect(html).toContain('Упс. Мы не нашли такую страницу');
  history.replaceState(null, '', '/product/nowhere');
  expect(await hydrate(html, missing)).toEqual([]);
  expect(console.error).not.toHaveBeenCalled();
});

test('the discount text of the checkout waits for no script', () => {
  expect(renderBare('/checkout', given)).toContain('Скидка от 30 000 ₸');
});

test('the server leaves open whether the basket is empty: the browser shows one of both', () => {
  const page = document.createElement('div');
  page.innerHTML = renderBare('/basket', given);
  const empty = page.querySelector('[data-kept-lines]')?.closest('.place')?.nextElementSibling;
  expect(empty?.className).toBe('empty');
  expect(empty?.textContent).toContain('Товаров в корзине пока нет');
});

/** What belongs to a name, which has no language. */
const names = ['brand', 'author'];

/** What the shop says in an answer, in Russian. */
function said(answer: unknown): string[] {
  if (typeof answer === 'string') return /[А-я]/.test(answer) ? [answer] : [];
  if (typeof answer !== 'object' || answer === null) return [];
  return Object.entries(answer).flatMap(([key, value]) =>
    names.includes(key) || key.endsWith('_kk') ? [] : said(value),
  );
}

test.each(pages.map(at))('%s in Kazakh says where it speaks Russian', async (address) => {
  await speak('kk');
  const page = document.createElement('div');
  page.innerHTML = renderBare(address, given);
  await speak('ru');
  const russian = new Set(said(given.queries.map(([, answer]) => answer)));
  russian.delete(recorded.shop.name);
  const unmarked = [...page.querySelectorAll('*')].filter(
    (element) =>
      russian.has(element.getAttribute('alt') ?? (element.childElementCount ? '' : element.textContent)) &&
      element.closest('[lang]')?.getAttribute('lang') !== 'ru',
  );
  expect(unmarked.map((element) => element.outerHTML)).toEqual([]);
  expect(page.querySelector('[lang="ru"]')).toBeTruthy();
});

test('the checkout in Kazakh shows the line about discounts in Kazakh where there is one', async () => {
  const text_kk = '30 000 ₸-ден бастап жеңілдік';
  const queries = given.queries.map(([key, answer]): (typeof given.queries)[number] =>
    key[2] === 'discount-text' ? [key, { ...(answer as object), text_kk }] : [key, answer],
  );
  expect(renderBare('/checkout', { ...given, queries })).toContain('lang="ru">Скидка от 30 000 ₸');
  await speak('kk');
  const kazakh = renderBare('/checkout', { ...given, queries });
  await speak('ru');
  expect(kazakh).toContain(`>${text_kk}`);
  expect(kazakh).not.toContain('Скидка от');
});

/** Every piece of text and every label of a page in the page's own language. */
function spokenOn(html: string): Set<string> {
  const page = document.createElement('div');
  page.innerHTML = html;
  const own = [...page.querySelectorAll('*')].filter((element) => !element.closest('[lang="ru"]'));
  const pieces = own.flatMap((element) => [
    ...['alt', 'aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
    ...[...element.childNodes].flatMap((node) => (node.nodeType === 3 ? [node.textContent ?? ''] : [])),
  ]);
  return new Set(pieces.map((text) => text.trim()).filter((text) => /[А-яЁё]/.test(text)));
}

/** Words that Kazakh has taken over as they are, and the language that a switch names in itself. */
const alike = [
  'Қаз',
  'Рус',
  'Қазақша',
  'Русский',
  'Артикул OS-101',
  'тг',
  'Бренд',
  'Органика',
  'Каталог',
  'Блог',
  'Промокод',
  'Телефон',
  'Пароль',
];

test.each(pages.map(at))('%s has no Russian word of ours left in Kazakh', async (address) => {
  const russian = spokenOn(renderBare(address, given));
  await speak('kk');
  const kazakh = spokenOn(renderBare(address, given));
  await speak('ru');
  // What the answers say is the catalog's; the test above looks whether it is marked.
  const data = given.queries.flatMap(([, answer]) => JSON.stringify(answer));
  const left = [...kazakh].filter(
    (text) =>
      russian.has(text) &&
      !alike.includes(text) &&
      !data.some((answer) => answer.includes(JSON.stringify(text))),
  );
  expect(left).toEqual([]);
});

test('what is given is not asked again, unless it is old', async () => {
  const asked = serve({ 'GET /api/products/popular/': products });
  history.replaceState(null, '', '/');
  await hydrate(renderBare('/', given), given);
  expect(asked).toEqual([]);
  const client = createQueryClient();
  seedCache(client, given, false);
  const [query] = client.getQueryCache().findAll({ queryKey: ['product', 'popular'] });
  expect(query?.isStaleByTime(60_000)).toBe(true);
  expect(query?.state.data).toEqual(products);
});
