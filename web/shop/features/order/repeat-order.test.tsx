import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { serve } from '../../../kit/testing/server';
import type { Order } from '../../api/types';
import { recorded } from '../../testing/answers';
import { renderAt } from '../../testing/render';
import { basket } from '../basket/basket-store';
import { RepeatOrder } from './repeat-order';

const [line] = recorded.order.products_amount as [Order['products_amount'][number]];
const lineOf = (id: string, name: string, amount: number) => ({
  ...line,
  amount,
  product: { ...line.product, id, name },
});
const product = (id: string, amount: number) => ({ ...recorded.product, id, amount, in_stock: amount > 0 });

const order = {
  number: 100007,
  products_amount: [lineOf('soap', 'Мыло', 2), lineOf('oil', 'Масло', 3), lineOf('balm', 'Бальзам', 1)],
};

async function repeat(routes: Parameters<typeof serve>[0]) {
  serve(routes);
  const { user } = renderAt('/account/orders', '/account/orders', <RepeatOrder order={order} />);
  const again = () => user.click(screen.getByRole('button', { name: 'Повторить заказ № 100007' }));
  await again();
  return again;
}

const inBasket = () => basket.lines().map(({ id, count }) => [id, count]);

beforeEach(() => basket.clear());

test('all that was ordered is in the basket, also when asked twice', async () => {
  const again = await repeat({
    'GET /api/products/soap/': product('soap', 9),
    'GET /api/products/oil/': product('oil', 9),
    'GET /api/products/balm/': product('balm', 9),
  });
  await screen.findByText('Добавили в корзину всё, что было в заказе.');
  await again();
  await screen.findByText('Добавили в корзину всё, что было в заказе.');
  expect(inBasket()).toEqual([
    ['soap', 2],
    ['oil', 3],
    ['balm', 1],
  ]);
  expect(screen.getByRole('link', { name: 'Перейти в корзину' }).getAttribute('href')).toBe('/basket');
});

test('what is short, sold out or no longer there is said', async () => {
  await repeat({
    'GET /api/products/soap/': product('soap', 1),
    'GET /api/products/oil/': product('oil', 0),
  });
  await screen.findByText('Добавили в корзину то, что есть сейчас.');
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Мыло: в корзине 1 шт., больше сейчас нет',
    'Масло: нет в наличии',
    'Бальзам: нет в наличии',
  ]);
  expect(inBasket()).toEqual([['soap', 1]]);
});

test('nothing at all leads to no basket', async () => {
  await repeat({});
  expect((await screen.findByRole('status')).textContent).toContain('Этих товаров сейчас нет в наличии.');
  expect(screen.queryByRole('link')).toBeNull();
});

test('without an answer it can be tried again', async () => {
  await repeat({
    'GET /api/products/soap/': () => {
      throw new TypeError('Failed to fetch');
    },
  });
  expect(await screen.findByText(/^Не удалось проверить наличие/)).toBeTruthy();
});
