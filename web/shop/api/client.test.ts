import { expect, test } from 'vitest';
import { answer } from '../../kit/api/answer';
import { isTransient, Problem } from '../../kit/api/problem';
import { serve } from '../../kit/testing/server';
import { speak } from '../app/language';
import { recorded } from '../testing/answers';
import { api } from './client';
import { currentPosition, forgetPosition, noticePosition } from './position';
import { linesOf } from './problem-lines';

const price = () => answer(api.POST('/api/orders/calculate-price/', { body: { products: [] } }));

test('a read sends the highest position that a command has answered', async () => {
  const positions = ['12', '9', '9007199254740993'];
  const log = serve({
    'GET /api/rules/': recorded.rules,
    'POST /api/orders/calculate-price/': () => ({
      body: {},
      headers: { 'X-Event-Position': positions.shift() ?? '' },
    }),
  });
  await answer(api.GET('/api/rules/'));
  await price();
  await answer(api.GET('/api/rules/'));
  await price();
  await answer(api.GET('/api/rules/'));
  await price();
  await answer(api.GET('/api/rules/'));
  const sent = log
    .filter(({ method }) => method === 'GET')
    .map(({ headers }) => headers.get('X-Min-Position'));
  expect(sent).toEqual([null, '12', '12', '9007199254740993']);
});

test('the position outlives a reload of the tab', () => {
  noticePosition('41');
  const kept = sessionStorage.getItem('dala.position');
  forgetPosition();
  sessionStorage.setItem('dala.position', kept ?? '');
  expect(currentPosition()).toBe('41');
});

test('what is not a position changes nothing', () => {
  noticePosition('7');
  noticePosition('8; drop');
  noticePosition(null);
  expect(currentPosition()).toBe('7');
});

test('a refusal by field gives the first message of each', async () => {
  serve({
    'POST /api/orders/calculate-price/': () => ({
      status: 400,
      body: { customer_email: ['Первая', 'Вторая'], odd: 'text' },
    }),
  });
  const error = await price().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(Problem);
  expect(error.fields).toEqual({ customer_email: 'Первая' });
  expect(linesOf(error)).toBeUndefined();
  expect(isTransient(error)).toBe(false);
});

test('a refusal by line gives one entry for each line', async () => {
  const products = [{}, { product: ['Товара нет в наличии'] }];
  serve({ 'POST /api/orders/calculate-price/': () => ({ status: 400, body: { products } }) });
  const error = await price().catch((thrown) => thrown);
  expect(linesOf(error)).toEqual(products);
});

test('a missing thing is a problem with a sentence', async () => {
  serve({});
  const error = await answer(api.GET('/api/rules/')).catch((thrown) => thrown);
  expect(error.status).toBe(404);
  expect(error.detail).toBe('Не найдено');
});

test('a server that fails may be asked again', async () => {
  serve({ 'POST /api/orders/calculate-price/': () => ({ status: 503, body: { detail: 'позже' } }) });
  expect(isTransient(await price().catch((thrown) => thrown))).toBe(true);
  expect(isTransient(new TypeError('Failed to fetch'))).toBe(true);
});

test('a page in Kazakh reads in Kazakh, and keeps what the call asks', async () => {
  const log = serve({ 'GET /api/products/': recorded.products, 'GET /api/rules/': recorded.rules });
  await speak('kk');
  await answer(api.GET('/api/products/', { params: { query: { limit: 3 } } }));
  await answer(api.GET('/api/rules/'));
  await speak('ru');
  await answer(api.GET('/api/products/', { params: { query: { limit: 3 } } }));
  expect(log.map(({ query }) => query.toString())).toEqual(['limit=3&lang=kk', 'lang=kk', 'limit=3']);
});

test('a request begins in a task of its own', async () => {
  const log = serve({ 'GET /api/rules/': recorded.rules });
  const rules = answer(api.GET('/api/rules/'));
  // All that follows in the same task is over when a promise has settled often enough.
  for (let n = 0; n < 100; n++) await null;
  expect(log).toEqual([]);
  await rules;
  expect(log).toHaveLength(1);
});
