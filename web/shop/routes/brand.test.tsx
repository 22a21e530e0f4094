import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../kit/testing/server';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import BrandPage from './brand';
import BrandsPage from './brands';

const { brand } = recorded;
const path = `GET /api/brands/${brand.link}/`;
const open = () => renderAt(`/brands/${brand.link}`, '/brands/:id', <BrandPage />);

test('a brand shows its name, the beginning of its story and its products', async () => {
  serve({ [path]: { ...brand, description: 'Раз. Два. Три. Четыре.', main_image: '/img/tilia-main.webp' } });
  const { user } = open();
  expect(await screen.findByRole('heading', { level: 1, name: brand.name })).toBeTruthy();
  for (const picture of [brand.image, '/img/tilia-main.webp'])
    expect(document.querySelector(`img[src="${picture}"]`)).toBeTruthy();
  expect(screen.getByText('Раз. Два. Три.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: `Читать далее: ${brand.name}` }));
  expect(screen.getByText('Раз. Два. Три. Четыре.')).toBeTruthy();
  expect(screen.getByRole('list', { name: 'Товары бренда' }).children).toHaveLength(brand.products.length);
});

test('a story in Kazakh is read as Kazakh, one that lacks it as Russian', async () => {
  serve({ [path]: { ...brand, description: 'Сабырлы күтім.', russian: [] } });
  const told = open();
  expect((await screen.findByText('Сабырлы күтім.')).lang).toBe('kk');
  told.unmount();
  serve({ [path]: { ...brand, description: 'Раз. Два.', russian: ['description'] } });
  open();
  expect((await screen.findByText('Раз. Два.')).lang).toBe('ru');
});

test('a short story has nothing to open', async () => {
  serve({ [path]: { ...brand, description: 'Раз. Два.' } });
  open();
  expect(await screen.findByText('Раз. Два.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /Читать далее/ })).toBeNull();
});

test('a brand that is not there is the not-found page', async () => {
  serve({});
  open();
  expect(await screen.findByRole('heading', { name: 'Упс. Мы не нашли такую страницу' })).toBeTruthy();
});

test('every brand leads to its page, by its logo', async () => {
  serve({ 'GET /api/brands/': recorded.brands });
  renderAt('/brands', '/brands', <BrandsPage />);
  const link = await screen.findByRole('link', { name: 'NORDEN' });
  expect(link.getAttribute('href')).toBe('/brands/norden');
  expect(link.querySelector('img')?.getAttribute('src')).toBe('/img/brands/norden.svg');
});

test('a shop without brands says so', async () => {
  serve({ 'GET /api/brands/': [] });
  renderAt('/brands', '/brands', <BrandsPage />);
  expect(await screen.findByText('Брендов пока нет')).toBeTruthy();
});
