import type { QueryClient } from '@tanstack/react-query';
import { waitFor } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { serve } from '../../kit/testing/server';
import { recorded } from '../testing/answers';
import { pageOf } from './pages';
import { prefetch, prefetchLinks } from './prefetch';
import { createQueryClient } from './query-client';

const { product, products } = recorded;
const routes = {
  [`GET /api/products/${product.link}/`]: product,
  [`GET /api/products/${product.link}/similar/`]: products,
  'GET /api/products/': products,
  'GET /api/brands/': [],
  'GET /api/categories/': recorded.categories,
  'GET /api/rules/': recorded.rules,
  'GET /api/shop/': recorded.shop,
};

const load = (client: QueryClient, pathname: string, search = '') =>
  prefetch(client, pageOf(pathname), pathname, search);

beforeEach(() => {
  document.body.innerHTML = '';
});

test('what a page asks is there when the page comes, and is asked once', async () => {
  const asked = serve(routes);
  const client = createQueryClient();
  load(client, `/product/${product.link}`);
  await waitFor(() => expect(client.isFetching()).toBe(0));
  expect(client.getQueryData(['product', 'detail', product.link])).toEqual(product);
  expect(asked.length).toBe(5);
  load(client, `/product/${product.link}`);
  expect(client.isFetching()).toBe(0);
});

test('a list that grows begins with the page of the address', async () => {
  const asked = serve(routes);
  const client = createQueryClient();
  load(client, '/category/masla', '?page=2&ordering=price');
  await waitFor(() => expect(client.isFetching()).toBe(0));
  const filter = { category: 'masla', brands: [], ordering: 'price' };
  expect(client.getQueryData(['product', 'list', filter, 2])).toEqual({ pages: [products], pageParams: [2] });
  const list = asked.find(({ path }) => path === '/api/products/');
  expect(list?.query.get('offset')).toBe('24');
});

test('a link that is pointed at is loaded, one that is passed over is not', async () => {
  const asked = serve(routes);
  document.body.innerHTML = `<a id="passed" href="/brands">a</a><a id="meant" href="/product/${product.link}"><b>b</b></a>
    <a id="other" href="https://elsewhere.example/brands">c</a>`;
  const client = createQueryClient();
  prefetchLinks((pathname, search) => load(client, pathname, search));
  const over = (id: string) =>
    document.querySelector(id)?.dispatchEvent(new Event('pointerover', { bubbles: true }));
  over('#passed');
  over('#meant b');
  await waitFor(() => expect(asked.map(({ path }) => path)).toContain(`/api/products/${product.link}/`));
  over('#other');
  await new Promise((later) => setTimeout(later, 100));
  expect(asked.map(({ path }) => path)).not.toContain('/api/brands/');
});
