import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve, to } from '../../kit/testing/server';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import CategoriesPage from './categories';

const routes = { 'GET /api/categories/': recorded.categories, 'GET /api/brands/': recorded.brands };
const open = (address: string) => renderAt(address, '/categories/:id?', <CategoriesPage />);

test('the menu leads to children where there are any, else to products', async () => {
  serve(routes);
  open('/categories');
  await screen.findByRole('list', { name: 'Популярные бренды' });
  const menu = within(screen.getByRole('navigation', { name: 'Разделы каталога' }));
  expect(menu.getByRole('link', { name: 'Лицо' }).getAttribute('href')).toBe('/categories/litso');
  expect(menu.getByRole('link', { name: 'Тело' }).getAttribute('href')).toBe('/category/telo');
});

test('a category shows banners of its children and the brands that sell best in it', async () => {
  const log = serve(routes);
  open('/categories/litso');
  expect(await screen.findByRole('heading', { level: 1, name: 'Лицо' })).toBeTruthy();
  const litso = recorded.categories.find(({ link }) => link === 'litso');
  for (const { name, link } of litso?.child_categories ?? []) {
    const banner = screen.getByRole('link', { name: `Смотреть товары: ${name}` });
    expect(banner.getAttribute('href')).toBe(`/category/${link}`);
  }
  const brands = within(await screen.findByRole('list', { name: 'Популярные бренды' }));
  expect(brands.getAllByRole('link')[0]?.getAttribute('href')).toBe(
    `/brands/${recorded.brands.find(({ popular_place }) => popular_place === 1)?.link}`,
  );
  expect(log.find(to('GET', '/api/brands/'))?.query.get('category_id')).toBe('litso');
  expect(screen.getByRole('link', { name: 'Все бренды' }).getAttribute('href')).toBe('/brands');
});

test('a category without children is its products', async () => {
  serve(routes);
  open('/categories/telo');
  expect(await screen.findByText('at /category/telo')).toBeTruthy();
});

test('a category that is not there is the not-found page', async () => {
  serve(routes);
  open('/categories/nowhere');
  expect(await screen.findByRole('heading', { name: 'Упс. Мы не нашли такую страницу' })).toBeTruthy();
});
