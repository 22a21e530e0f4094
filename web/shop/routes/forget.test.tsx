import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { type Asked, serve } from '../../kit/testing/server';
import { renderAt } from '../testing/render';
import ForgetOrderPage from './forget-order';
import ForgetReviewPage from './forget-review';

const id = '01a20661-2013-7218-a07c-d0634490666b';
const heading = (name: string) => screen.findByRole('heading', { name });
const button = () => screen.findByRole('button', { name: 'Удалить мои данные' });
const keyOf = ({ headers }: Asked) => headers.get('X-Letter-Key');

test.each([
  { noun: 'order', page: <ForgetOrderPage />, of: 'orders' },
  { noun: 'review', page: <ForgetReviewPage />, of: 'reviews' },
])("a guest's $noun is forgotten by the button and not by opening the page", async ({ noun, page, of }) => {
  const log = serve({ [`POST /api/${of}/${id}/erasure/`]: { detail: 'удаляются' } });
  const { user } = renderAt(`/forget/${noun}/${id}#of-the-letter`, `/forget/${noun}/:id`, page);
  await button();
  expect(log).toEqual([]);
  await user.click(await button());
  expect(await heading('Данные удаляются')).toBeTruthy();
  expect(log.map(keyOf)).toEqual(['of-the-letter']);
  expect(log.map(({ query }) => query.size)).toEqual([0]);
});

test('an order that is under way says so, and leads to itself', async () => {
  serve({
    [`POST /api/orders/${id}/erasure/`]: () => ({
      status: 409,
      body: { detail: 'Заказ ещё не завершён', code: 'order/open' },
    }),
  });
  const { user } = renderAt(`/forget/order/${id}#of-the-letter`, '/forget/order/:id', <ForgetOrderPage />);
  await user.click(await button());
  expect(await heading('Пока удалить нельзя')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Посмотреть заказ' }).getAttribute('href')).toBe(
    `/order/${id}#of-the-letter`,
  );
});

test('a link that has ended, and one without a key, lead nowhere', async () => {
  serve({
    [`POST /api/orders/${id}/erasure/`]: () => ({ status: 404, body: { detail: 'Заказ не найден' } }),
  });
  const { user, unmount } = renderAt(`/forget/order/${id}#old`, '/forget/order/:id', <ForgetOrderPage />);
  await user.click(await button());
  expect(await heading('Ссылка не подошла')).toBeTruthy();
  unmount();
  renderAt(`/forget/order/${id}`, '/forget/order/:id', <ForgetOrderPage />);
  expect(await heading('Ссылка не подошла')).toBeTruthy();
});
