import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { Route, Routes } from '../../kit/router/router';
import { type Asked, serve, to } from '../../kit/testing/server';
import { session } from '../api/session';
import SessionKeeper from '../features/customer/session-keeper';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import AccountOrdersPage from './account-orders';
import LoginPage from './login';

const isList = to('GET', '/api/orders/');
const routes = { 'GET /api/auth/profile/': recorded.profile, 'GET /api/orders/': recorded.orders };
const open = () => renderAt('/account/orders', '/account/orders', <AccountOrdersPage />);

beforeEach(() => session.start({ userId: recorded.profile.id, token: 'secret' }));

test('an order shows its number, state, date, payment, sum and products', async () => {
  serve(routes);
  open();
  const card = within(await screen.findByRole('article', { name: 'Заказ № 100101' }));
  expect(card.getByText('Заказ завершен')).toBeTruthy();
  expect(card.getByText('10.03.2026')).toBeTruthy();
  expect(card.getByText('нет')).toBeTruthy();
  expect(card.getByText('Сумма').nextElementSibling?.textContent).toBe('15\u00a0980\u00a0₸');
  const slides = within(card.getByRole('list', { name: 'Товары заказа № 100101' }));
  expect(slides.getByRole('link', { name: 'Сыворотка для лица' }).getAttribute('href')).toBe(
    '/product/ostara-niacinamide-serum',
  );
  expect(slides.getByText('2 шт.')).toBeTruthy();
  expect(card.getByRole('link', { name: 'Смотреть подробнее: заказ № 100101' }).getAttribute('href')).toBe(
    `/account/order/${recorded.orders[1]?.id}`,
  );
});

test('a product has the picture of today, or that of the order when it has left the catalog', async () => {
  serve(routes);
  open();
  const card = (number: number) => screen.findByRole('article', { name: `Заказ № ${number}` });
  expect((await card(100101)).querySelector('source')?.getAttribute('srcset')).toBe(
    '/img/serum-450.avif 450w, /img/serum-900.avif 900w',
  );
  const gone = await card(100102);
  expect(gone.querySelector('source')).toBeNull();
  expect(gone.querySelector('img')?.getAttribute('src')).toBe('/img/serum.webp');
});

test('active orders are asked for; without any the page says so', async () => {
  const log = serve({
    ...routes,
    'GET /api/orders/': ({ query }: Asked) => (query.get('active') === 'true' ? [] : recorded.orders),
  });
  const { user } = open();
  await screen.findByRole('article', { name: 'Заказ № 100102' });
  const active = screen.getByRole('button', { name: 'Активные заказы' });
  expect(active.getAttribute('aria-pressed')).toBe('false');
  await user.click(active);
  expect(await screen.findByText('Активных заказов пока нет')).toBeTruthy();
  expect(active.getAttribute('aria-pressed')).toBe('true');
  expect(screen.queryByRole('article')).toBeNull();
  expect(log.filter(isList).map(({ query }) => query.get('active'))).toEqual([null, 'true']);
  await user.click(screen.getByRole('button', { name: 'Все заказы' }));
  expect(await screen.findAllByRole('article')).toHaveLength(2);
});

test('who has ordered nothing is led to the catalog', async () => {
  serve({ ...routes, 'GET /api/orders/': [] });
  open();
  expect(await screen.findByText('Заказов пока нет')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Перейти в каталог' }).getAttribute('href')).toBe('/categories');
});

test('orders that do not load are asked for again on request', async () => {
  let fails = true;
  serve({ ...routes, 'GET /api/orders/': () => (fails ? { status: 503 } : recorded.orders) });
  const { user } = open();
  const retry = await screen.findByRole('button', { name: 'Повторить' });
  fails = false;
  await user.click(retry);
  expect(await screen.findAllByRole('article')).toHaveLength(2);
});

test('whose session has expired signs in and is back', async () => {
  const expired = ({ headers }: Asked) => headers.get('Authorization') === 'Bearer secret';
  const refusal = { status: 401, body: { detail: 'Войдите в аккаунт' } };
  serve({
    'GET /api/auth/profile/': (asked: Asked) => (expired(asked) ? refusal : recorded.profile),
    'GET /api/orders/': (asked: Asked) => (expired(asked) ? refusal : recorded.orders),
    'POST /api/token/': { access: 'renewed', id: recorded.profile.id },
  });
  const { user } = renderAt(
    '/account/orders',
    '*',
    <>
      <SessionKeeper />
      <Routes>
        <Route path="/account/orders" element={<AccountOrdersPage />} />
        <Route path="/login" element={<LoginPage />} />
      </Routes>
    </>,
  );
  await user.type(await screen.findByLabelText('E-mail'), 'anna@example.kz');
  await user.type(screen.getByLabelText('Пароль'), 'a long walk home');
  await user.click(screen.getByRole('button', { name: 'Войти' }));
  expect(await screen.findByRole('article', { name: 'Заказ № 100101' })).toBeTruthy();
  expect(await screen.findByText('Анна Ким')).toBeTruthy();
});
