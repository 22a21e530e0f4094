import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve, to } from '../../../kit/testing/server';
import { cardWith } from '../../testing/answers';
import { renderPart } from '../../testing/render';
import { basket } from '../basket/basket-store';
import SearchDialog from './search-dialog';

const isSearch = to('GET', '/api/products/');
const page = (results: object[]) => ({ count: results.length, next: null, previous: null, results });
const open = () => renderPart(<SearchDialog open onClose={() => {}} />);

test('only words are searched for', async () => {
  const log = serve({ 'GET /api/products/': page([]) });
  const { user } = open();
  const input = screen.getByRole('searchbox');
  await user.type(input, '   {Enter}');
  expect(log.filter(isSearch)).toEqual([]);
  await user.type(input, 'крем{Enter}');
  expect(await screen.findByText('По вашему запросу ничего не нашлось')).toBeTruthy();
  expect(log.find(isSearch)?.query.get('search')).toBe('крем');
});

test('a find is added, and once it is there leads to the basket', async () => {
  const soap = cardWith({ id: 'soap', name: 'Мыло', amount: 3, picture: null, main_image: '/img/soap.webp' });
  const gone = cardWith({ id: 'gone', name: 'Нет', in_stock: false, amount: 0 });
  serve({ 'GET /api/products/': page([soap, gone]) });
  const { user } = open();
  await user.type(screen.getByRole('searchbox'), 'мыло{Enter}');
  expect((await screen.findByRole('link', { name: 'Мыло' })).getAttribute('href')).toBe(
    `/product/${soap.link}`,
  );
  expect(document.querySelector('img[src="/img/soap.webp"]')).toBeTruthy();
  await user.click(await screen.findByRole('button', { name: 'Добавить в корзину: Мыло' }));
  expect(basket.lines().map(({ id }) => id)).toEqual(['soap']);
  expect(screen.queryByRole('button', { name: /Нет$/ })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'В корзине: Мыло' }));
  expect(await screen.findByText('at /basket')).toBeTruthy();
});

test('a failed search is silent', async () => {
  const log = serve({ 'GET /api/products/': () => ({ status: 500, body: {} }) });
  const { user } = open();
  await user.type(screen.getByRole('searchbox'), 'крем{Enter}');
  await waitFor(() => expect(log.filter(isSearch)).toHaveLength(1));
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.queryByText('По вашему запросу ничего не нашлось')).toBeNull();
});

test('unfinished words are completed: a search is asked, a page is opened', async () => {
  const log = serve({
    'GET /api/products/suggest/': {
      results: [
        { kind: 'query', text: 'крем для рук', link: null },
        { kind: 'category', text: 'Кремы', link: '/category/kremy' },
      ],
    },
    'GET /api/products/': { ...page([cardWith({ name: 'Крем' })]), corrected: 'крем для рук' },
  });
  const { user } = open();
  await user.type(screen.getByRole('searchbox'), 'крем');
  const suggestions = within(await screen.findByRole('list', { name: 'Подсказки' }));
  expect(log.filter(to('GET', '/api/products/suggest/')).at(-1)?.query.get('q')).toBe('крем');
  expect(suggestions.getByRole('link', { name: /^Кремы/ }).getAttribute('href')).toBe('/category/kremy');
  await user.click(suggestions.getByRole('button', { name: 'крем для рук' }));
  expect((await screen.findByText(/^Нашлось/)).textContent).toBe(
    'Нашлось: 1. Искали по запросу «крем для рук».',
  );
  expect(log.find(isSearch)?.query.get('search')).toBe('крем для рук');
  expect(screen.queryByRole('list', { name: 'Подсказки' })).toBeNull();
});

test('words that were asked for are marked, and needs narrow what was found', async () => {
  const needs = [{ name: 'dry-skin', title: 'Сухая кожа', title_kk: 'Құрғақ тері', count: 2 }];
  const log = serve({
    'GET /api/products/': { ...page([cardWith({ name: 'Маска с розой' })]), marks: ['Маска'], needs },
  });
  const { user } = open();
  await user.type(screen.getByRole('searchbox'), 'маски{Enter}');
  await screen.findByRole('link', { name: 'Маска с розой' });
  expect(document.querySelector('mark')?.textContent).toBe('Маска');
  await user.click(screen.getByRole('button', { name: 'Сухая кожа 2' }));
  await waitFor(() => expect(log.filter(isSearch).at(-1)?.query.get('need')).toBe('dry-skin'));
  expect((await screen.findByRole('button', { name: 'Сухая кожа', pressed: true })).textContent).toContain(
    'Сухая',
  );
});

test('where nothing was found, three near things are offered', async () => {
  const near = ['Крем', 'Мыло', 'Гель'].map((text) => ({ kind: 'product', text, link: `/product/${text}` }));
  serve({ 'GET /api/products/': { ...page([]), near } });
  const { user } = open();
  await user.type(screen.getByRole('searchbox'), 'лак{Enter}');
  const list = await screen.findByRole('list', { name: 'Может подойти' });
  expect(within(list).getAllByRole('link')).toHaveLength(3);
  expect(screen.getByText('По вашему запросу ничего не нашлось')).toBeTruthy();
});
