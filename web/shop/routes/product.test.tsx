import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../kit/testing/server';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import ProductPage from './product';

const link = recorded.product.link;
const routes = {
  [`GET /api/products/${link}/`]: recorded.product,
  [`GET /api/products/${link}/stock/`]: { id: recorded.product.id, in_stock: true, amount: 10 },
  [`GET /api/products/${link}/similar/`]: recorded.products,
  'GET /api/rules/': recorded.rules,
};
const open = (id = link) => renderAt(`/product/${id}/`, '/product/:id', <ProductPage />);

test('a product shows its name with the package, its brand, composition and neighbours', async () => {
  serve(routes);
  open();
  const { name, package_size, composition, brand } = recorded.product;
  expect(await screen.findByRole('heading', { level: 1, name: `${name}, ${package_size}` })).toBeTruthy();
  expect(screen.getByRole('link', { name: brand?.name }).getAttribute('href')).toBe(`/brands/${brand?.link}`);
  expect(screen.getByText(composition)).toBeTruthy();
  expect(await screen.findByRole('heading', { name: 'Похожие товары' })).toBeTruthy();
  expect(await screen.findByText(/Алматы: заказ до 12:00/)).toBeTruthy();
});

test('it shows its pictures, where it comes from, its marks, both prices and what the maker says', async () => {
  serve(routes);
  const { user } = open();
  const { name, package_size, made_in, marks, expires, apply_method, images } = recorded.product;
  const large = await screen.findByRole('img', { name: `${name}, ${package_size}` });
  expect(large.getAttribute('src')).toBe(images[0]?.image);
  await user.click(screen.getByRole('button', { name: 'Фото 2 из 2' }));
  expect(screen.getByRole('img', { name: `${name}, ${package_size}` }).getAttribute('src')).toBe(
    images[1]?.image,
  );
  expect(screen.getByText(made_in)).toBeTruthy();
  const mark = within(screen.getByRole('list', { name: 'Сертификаты и свойства' }));
  const explained = mark.getByRole('button', { name: marks[0]?.name }).getAttribute('popovertarget');
  expect(document.getElementById(explained ?? '')?.textContent).toBe(marks[0]?.description);
  const text = document.body.textContent?.replaceAll('\u00a0', ' ');
  expect(text).toContain('7 990 ₸');
  expect(text).toContain('9 490 ₸');
  const sections = ['О товаре', 'Состав', 'Условия хранения', 'Применение'];
  expect([...document.querySelectorAll('summary')].map((summary) => summary.textContent)).toEqual(sections);
  for (const said of [expires, apply_method]) expect(screen.getByText(said)).toBeTruthy();
  const trail = within(screen.getByRole('navigation', { name: 'Хлебные крошки' })).getAllByRole('link');
  expect(trail.map((link) => link.getAttribute('href'))).toEqual([
    '/',
    '/categories',
    '/categories/litso',
    '/category/uhod-za-litsom',
  ]);
});

test('without reviews it invites to the first', async () => {
  serve({
    ...routes,
    [`GET /api/products/${link}/`]: { ...recorded.product, reviews: [], reviews_count: 0 },
  });
  open();
  expect(await screen.findByText('На данном товаре нет отзывов, оставьте его первым!')).toBeTruthy();
});

test('the present stock is merged into the product', async () => {
  serve({
    ...routes,
    [`GET /api/products/${link}/stock/`]: { id: recorded.product.id, in_stock: false, amount: 0 },
  });
  open();
  await waitFor(() =>
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Нет в наличии' }).disabled).toBe(true),
  );
  expect(screen.getByText('Зайдите в аккаунт, чтобы подписаться на обновление товара')).toBeTruthy();
});

test('a product that is not there is the not-found page', async () => {
  serve(routes);
  open('nope');
  expect(await screen.findByRole('heading', { name: 'Упс. Мы не нашли такую страницу' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Вернуться назад' }).getAttribute('href')).toBe('/');
});

test('a server that fails is not a missing product', async () => {
  serve({ ...routes, [`GET /api/products/${link}/`]: { status: 500, body: {} } });
  open();
  expect(await screen.findByRole('button', { name: 'Повторить' })).toBeTruthy();
});
