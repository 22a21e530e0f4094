import { screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { serve, to } from '../../../kit/testing/server';
import { cardWith, recorded } from '../../testing/answers';
import { renderAt } from '../../testing/render';
import { basket } from '../basket/basket-store';
import { unpaidOrder } from '../order/unpaid-order';
import { loadDraft, saveDraft } from './checkout-draft';
import { emptyForm } from './checkout-schema';
import PaymentPopups from './payment-popups';

const paying = '/api/orders/7c9e/payment/';
const open = () => renderAt('/#error_popup', '/', <PaymentPopups />);

afterEach(() => unpaidOrder.forget());

test('success empties the basket and the form and goes away for good', async () => {
  serve({ 'GET /api/shop/': recorded.shop });
  basket.add(cardWith({ id: 'soap' }));
  saveDraft({ ...emptyForm, customer_first_name: 'Айгерим' });
  unpaidOrder.remember({ id: '7c9e', number: 100007 });
  const { user } = renderAt('/#success_popup', '/', <PaymentPopups />);
  expect(screen.getByRole('dialog', { name: 'Все прошло хорошо.' }).textContent).toContain(
    'Спасибо! Мы получили Ваш заказ. Мы его уже собираем.',
  );
  expect(basket.lines()).toEqual([]);
  expect(loadDraft(emptyForm)).toEqual(emptyForm);
  expect(unpaidOrder.get()).toBeUndefined();
  await user.click(screen.getByRole('button', { name: 'Продолжить покупки' }));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a failed payment keeps the basket and says how to go on', async () => {
  serve({ 'GET /api/shop/': { ...recorded.shop, social_name: 'Instagram' } });
  basket.add(cardWith({ id: 'soap' }));
  const { user } = open();
  expect(screen.getByRole('dialog', { name: 'Что-то пошло не так' })).toBeTruthy();
  expect(document.activeElement?.textContent).toBe('Вернуться к оплате');
  expect((await screen.findByRole('link', { name: recorded.shop.email })).getAttribute('href')).toBe(
    `mailto:${recorded.shop.email}`,
  );
  expect(screen.getByRole('link', { name: 'Instagram' }).getAttribute('href')).toBe(recorded.shop.social_url);
  expect(screen.getByRole('link', { name: 'Вернуться к оплате' }).getAttribute('href')).toBe('/checkout');
  await user.click(screen.getByRole('button', { name: 'Закрыть' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(basket.lines()).toHaveLength(1);
});

test('after a refusal the same order is paid, and none is made anew', async () => {
  const assign = vi.spyOn(location, 'assign').mockImplementation(() => {});
  const log = serve({
    'GET /api/shop/': recorded.shop,
    [`POST ${paying}`]: { id: '7c9e', number: 100007, payment_url: 'https://bank.example/pay/2' },
  });
  unpaidOrder.remember({ id: '7c9e', number: 100007 });
  const { user } = open();
  await user.click(screen.getByRole('button', { name: 'Оплатить заказ № 100007' }));
  await waitFor(() => expect(assign).toHaveBeenCalledWith('https://bank.example/pay/2'));
  expect(log.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual([paying]);
  expect(unpaidOrder.get()?.number).toBe(100007);
});

test('an order that can no longer be paid says why, and leads to checkout', async () => {
  serve({
    'GET /api/shop/': recorded.shop,
    [`POST ${paying}`]: { status: 409, body: { detail: 'Товара «Крем» больше нет в нужном количестве' } },
  });
  unpaidOrder.remember({ id: '7c9e', number: 100007 });
  const { user } = open();
  await user.click(screen.getByRole('button', { name: 'Оплатить заказ № 100007' }));
  expect(await screen.findByText('Товара «Крем» больше нет в нужном количестве')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Вернуться к оплате' })).toBeTruthy();
  expect(unpaidOrder.get()).toBeUndefined();
});

test('without an answer the order can be paid once more', async () => {
  const log = serve({ 'GET /api/shop/': recorded.shop, [`POST ${paying}`]: { status: 503 } });
  unpaidOrder.remember({ id: '7c9e', number: 100007 });
  const { user } = open();
  const pay = () => user.click(screen.getByRole('button', { name: 'Оплатить заказ № 100007' }));
  await pay();
  expect(await screen.findByText(/^Не удалось отправить/)).toBeTruthy();
  await pay();
  await waitFor(() => expect(log.filter(to('POST', paying))).toHaveLength(2));
});

test('an order that turns out to be paid is over', async () => {
  serve({
    'GET /api/shop/': recorded.shop,
    [`POST ${paying}`]: { id: '7c9e', number: 100007, is_paid: true },
  });
  unpaidOrder.remember({ id: '7c9e', number: 100007 });
  const { user } = open();
  await user.click(screen.getByRole('button', { name: 'Оплатить заказ № 100007' }));
  expect(await screen.findByRole('dialog', { name: 'Все прошло хорошо.' })).toBeTruthy();
});

test('other hashes show nothing', () => {
  serve({});
  renderAt('/#advantages', '/', <PaymentPopups />);
  expect(screen.queryByRole('dialog')).toBeNull();
});
