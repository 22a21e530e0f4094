import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { type Asked, serve } from '../../kit/testing/server';
import { session } from '../api/session';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import OrderPage from './order';

const order = { ...recorded.order, status: 'RECEIVED' };
const at = `/api/orders/${order.id}/`;
const open = (key: string) => renderAt(`/order/${order.id}#${key}`, '/order/:id', <OrderPage />);

/** Answers who has the key of the letter's link, and nobody else. */
const toHolder = (body: object) => (asked: Asked) =>
  asked.headers.get('X-Letter-Key') === 'of-the-letter'
    ? body
    : { status: 404, body: { detail: 'Не найдено' } };

test("a guest's order opens with the key of its letter, can be given up, and leads to an account", async () => {
  const log = serve({ [`GET ${at}`]: toHolder(order), [`POST ${at}cancellation/`]: toHolder({}) });
  const { user } = open('of-the-letter');
  expect(await screen.findByRole('heading', { level: 1, name: 'Заказ № 100101' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Зарегистрироваться' }).getAttribute('href')).toBe(
    '/registration?next=%2Faccount%2Forders',
  );
  await user.click(screen.getByRole('button', { name: 'Отменить заказ' }));
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Отменить заказ' }));
  await screen.findByRole('heading', { level: 1 });
  expect(log.map(({ method, headers }) => [method, headers.get('X-Letter-Key')])).toEqual([
    ['GET', 'of-the-letter'],
    ['POST', 'of-the-letter'],
    ['GET', 'of-the-letter'],
  ]);
});

test('a guessed key opens nothing', async () => {
  serve({ [`GET ${at}`]: toHolder(order) });
  open('guessed');
  expect(await screen.findByText('Упс. Мы не нашли такую страницу')).toBeTruthy();
});

test('who is signed in is not sent to register', async () => {
  session.start({ userId: 'c1', token: 'secret' });
  serve({ [`GET ${at}`]: toHolder(order) });
  open('of-the-letter');
  await screen.findByRole('heading', { level: 1, name: 'Заказ № 100101' });
  expect(screen.queryByRole('link', { name: 'Зарегистрироваться' })).toBeNull();
});

test('the key of an old letter leaves the query, so that servers see it once', async () => {
  const log = serve({ [`GET ${at}`]: toHolder(order) });
  renderAt(`/order/${order.id}?key=of-the-letter`, '/order/:id', <OrderPage />);
  await screen.findByRole('heading', { level: 1, name: 'Заказ № 100101' });
  expect(screen.getByRole('link', { name: 'Удалить мои данные' }).getAttribute('href')).toBe(
    `/forget/order/${order.id}#of-the-letter`,
  );
  expect(log.map(({ query }) => query.size)).toEqual([0]);
});
