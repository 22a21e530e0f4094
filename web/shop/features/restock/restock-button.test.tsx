import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { serve, to } from '../../../kit/testing/server';
import { session } from '../../api/session';
import { cardWith } from '../../testing/answers';
import { renderPart } from '../../testing/render';
import { AddToBasket } from '../product/add-to-basket';

const gone = cardWith({ id: 'serum', link: 'serum', name: 'Сыворотка', in_stock: false, amount: 0 });
const waits = 'GET /api/subscriptions/products/';
const subscribing = 'POST /api/subscriptions/products/serum/';
const show = (page: boolean, product = gone) =>
  renderPart(<AddToBasket product={product} picture={() => null} page={page} />);

beforeEach(() => session.start({ userId: 'anna', token: 't' }));

test('a guest is asked in, and comes back to the product', () => {
  session.end();
  serve({});
  show(true);
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Нет в наличии' }).disabled).toBe(true);
  const login = screen.getByRole('link', {
    name: 'Зайдите в аккаунт, чтобы подписаться на обновление товара',
  });
  expect(login.getAttribute('href')).toBe('/login?next=%2Fproduct%2Fserum');
});

test('a customer subscribes once', async () => {
  const log = serve({ [waits]: [], [subscribing]: () => ({ status: 201, body: { is_subscribed: true } }) });
  const { user } = show(false);
  expect(screen.getByText('Нет в наличии')).toBeTruthy();
  await user.click(await screen.findByRole('button', { name: 'Сообщить о поступлении: Сыворотка' }));
  const done = await screen.findByRole('button', { name: 'Вы успешно подписаны на данный товар' });
  await user.click(done);
  expect(log.filter(to('POST', '/api/subscriptions/products/serum/'))).toHaveLength(1);
});

test('a refused call says that one is subscribed already', async () => {
  serve({ [waits]: [], [subscribing]: () => ({ status: 400, body: { detail: 'Вы уже подписаны' } }) });
  const { user } = show(true);
  await user.click(await screen.findByRole('button', { name: 'Подписаться на обновление' }));
  expect(await screen.findByRole('button', { name: 'Вы уже подписаны' })).toBeTruthy();
});

test('a refusal in Kazakh is not marked as Russian', async () => {
  const said = 'Сіз жазылып қойғансыз';
  serve({ [waits]: [], [subscribing]: () => ({ status: 400, body: { detail: said } }) });
  const { user } = show(true);
  await user.click(await screen.findByRole('button', { name: 'Подписаться на обновление' }));
  expect((await screen.findByText(said)).lang).toBe('');
});

test('who waits already is told, and the button does nothing', async () => {
  const log = serve({ [waits]: ['serum'] });
  const { user } = show(true);
  await user.click(await screen.findByRole('button', { name: 'Вы уже подписаны' }));
  expect(log.some(to('POST', '/api/subscriptions/products/serum/'))).toBe(false);
});

test('a product that says so itself needs no list', async () => {
  serve({ [waits]: () => ({ status: 503 }) });
  show(false, { ...gone, is_subscribed: true });
  const button = await screen.findByRole('button', { name: 'Вы уже подписаны' });
  expect(button.getAttribute('aria-disabled')).toBe('true');
});

test('a lost call can be tried again', async () => {
  let lost = true;
  serve({
    [waits]: [],
    [subscribing]: () => {
      if (lost) throw new TypeError('Failed to fetch');
      return { status: 201, body: { is_subscribed: true } };
    },
  });
  const { user } = show(true);
  await user.click(await screen.findByRole('button', { name: 'Подписаться на обновление' }));
  expect(await screen.findByText(/Не удалось подписаться/)).toBeTruthy();
  lost = false;
  await user.click(screen.getByRole('button', { name: 'Подписаться на обновление' }));
  expect(await screen.findByRole('button', { name: 'Вы успешно подписаны на данный товар' })).toBeTruthy();
});
