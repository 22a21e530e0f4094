import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { BrowserRouter } from '../../kit/router/history';
import { serve, to } from '../../kit/testing/server';
import { session } from '../api/session';
import { basket } from '../features/basket/basket-store';
import { cardWith, recorded } from '../testing/answers';
import { App } from './app';
import { createQueryClient } from './query-client';

const routes = {
  'GET /api/rules/': recorded.rules,
  'GET /api/shop/': recorded.shop,
  'GET /api/categories/': recorded.categories,
  'GET /api/brands/': [],
  'GET /api/content/home/': recorded.home,
  'GET /api/products/popular/': recorded.products,
  'GET /api/products/': recorded.products,
};

function open(address: string) {
  history.replaceState(null, '', address);
  render(
    <BrowserRouter>
      <App client={createQueryClient()} />
    </BrowserRouter>,
  );
  return userEvent.setup({ delay: null });
}

beforeEach(() => {
  serve(routes);
});

test('every page states the rules, names the categories and counts the basket', async () => {
  basket.add(cardWith({ id: 'soap', amount: 3 }));
  basket.plus('soap');
  open('/nowhere');
  expect((await screen.findByText(/доставка бесплатно/)).textContent).toBe(
    'Алматы: доставка бесплатно от 15\u00a0000\u00a0₸',
  );
  expect(screen.getByRole('link', { name: 'Корзина, товаров: 2' }).getAttribute('href')).toBe('/basket');
  expect(screen.getByRole('link', { name: 'Личный кабинет' }).getAttribute('href')).toBe('/login');
  const footer = within(screen.getByRole('contentinfo'));
  expect((await footer.findByRole('link', { name: 'Лицо' })).getAttribute('href')).toBe('/categories/litso');
  expect(footer.getByRole('link', { name: 'Тело' }).getAttribute('href')).toBe('/category/telo');
});

test('the header and the footer lead through the shop', async () => {
  const shop = {
    ...recorded.shop,
    hours: 'ежедневно с 10:00 до 19:00',
    legal_name: 'ТОО «Дала»',
    registration_number: 'БИН 123456789012',
    address: 'Алматы, ул. Абая, 1',
    social_name: 'Instagram',
    privacy_url: '/documents/privacy.pdf',
    offer_url: '/documents/offer.pdf',
    menu: [
      { text: 'О нас', text_kk: 'Біз туралы', address: '/about' },
      { text: 'Преимущества', text_kk: '', address: '/#advantages' },
      { text: 'Прайс', text_kk: '', address: '/documents/price.pdf' },
      { text: 'Почта', text_kk: '', address: 'https://post.kz/' },
    ],
  };
  serve({ ...routes, 'GET /api/shop/': shop });
  open('/nowhere');
  const hrefs = (place: HTMLElement) =>
    within(place)
      .getAllByRole('link')
      .map((link) => link.getAttribute('href'));
  const header = screen.getByRole('banner');
  await within(header).findByRole('link', { name: 'Прайс' });
  expect(hrefs(within(header).getByRole('navigation'))).toEqual([
    '/about',
    '/#advantages',
    '/documents/price.pdf',
    'https://post.kz/',
  ]);
  expect(
    within(header)
      .getByRole('link', { name: /на главную/ })
      .getAttribute('href'),
  ).toBe('/');
  const bar = within(screen.getByRole('complementary', { name: 'Объявление' }));
  await bar.findByText(shop.hours);
  expect(hrefs(screen.getByRole('complementary', { name: 'Объявление' }))).toEqual([`mailto:${shop.email}`]);
  const footer = within(screen.getByRole('contentinfo'));
  await footer.findByText(shop.hours);
  const part = (name: string) => hrefs(footer.getByRole('region', { name }));
  expect(part('Покупателям')).toEqual(['/categories', '/about']);
  expect(part('Связаться')).toEqual([`mailto:${shop.email}`, shop.social_url]);
  expect(part('Документы')).toEqual([shop.privacy_url, shop.offer_url]);
  expect(footer.getByText('ТОО «Дала», БИН 123456789012')).toBeTruthy();
  expect(footer.getByText(shop.address)).toBeTruthy();
});

test('the account icon of a customer leads to the account', () => {
  session.start({ userId: 'aliya', token: 'secret' });
  open('/nowhere');
  expect(screen.getByRole('link', { name: 'Личный кабинет' }).getAttribute('href')).toBe('/account/info');
});

test('an address the shop does not have is the not-found page', () => {
  open('/nowhere');
  expect(screen.getByRole('heading', { name: 'Упс. Мы не нашли такую страницу' })).toBeTruthy();
});

test('a link changes the page without a reload, and back returns', async () => {
  const user = open('/nowhere');
  await user.click(screen.getByRole('link', { name: 'Вернуться назад' }));
  expect(await screen.findByRole('heading', { name: 'Состав, который можно прочитать вслух' })).toBeTruthy();
  expect(location.pathname).toBe('/');
  await waitFor(() => expect(document.activeElement?.id).toBe('main'));
  act(() => {
    history.replaceState(null, '', '/nowhere');
    dispatchEvent(new PopStateEvent('popstate'));
  });
  expect(await screen.findByRole('heading', { name: 'Упс. Мы не нашли такую страницу' })).toBeTruthy();
});

test('home shows new arrivals only when there are some', async () => {
  const log = serve({ ...routes, 'GET /api/products/': { ...recorded.products, count: 0, results: [] } });
  open('/');
  await screen.findByRole('heading', { name: 'Популярное' });
  await waitFor(() => expect(log.some(to('GET', '/api/products/'))).toBe(true));
  expect(screen.queryByRole('heading', { name: 'Новинки' })).toBeNull();
  serve(routes);
});

test('the search opens on request', async () => {
  const user = open('/nowhere');
  await user.click(screen.getByRole('button', { name: 'Поиск' }));
  const input = await screen.findByRole('searchbox');
  await waitFor(() => expect(document.activeElement).toBe(input));
});
