import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { serve, to } from '../../kit/testing/server';
import { session } from '../api/session';
import type { OrderDetail } from '../api/types';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import AccountOrderPage from './account-order';

const { order, profile } = recorded;
const at = `/api/orders/${order.id}/`;
const orderWith = (facts: Partial<OrderDetail>): OrderDetail => ({ ...order, ...facts });
const received = orderWith({ status: 'RECEIVED', history: order.history.slice(0, 1) });
const routes = { 'GET /api/auth/profile/': profile };
const open = () => renderAt(`/account/order/${order.id}`, '/account/order/:id', <AccountOrderPage />);
const button = (name: string) => screen.queryByRole('button', { name });

beforeEach(() => session.start({ userId: profile.id, token: 'secret' }));

test('an order shows its products, address, history and sums; one that is over can only be looked at', async () => {
  serve({ ...routes, [`GET ${at}`]: order });
  open();
  expect(await screen.findByRole('heading', { level: 1, name: 'Заказ № 100101' })).toBeTruthy();
  const page = document.body;
  for (const text of ['Оформлен 10.03.2026', 'Не оплачен', 'OS-101', 'Абая', '10.03.2026, 16:00'])
    expect(page.textContent).toContain(text);
  expect(screen.getByRole('link', { name: 'Сыворотка для лица' }).getAttribute('href')).toBe(
    '/product/ostara-niacinamide-serum',
  );
  expect(page.querySelector('source')?.getAttribute('srcset')).toContain('/img/serum-900.avif 900w');
  expect(screen.getByText('Почему столько?')).toBeTruthy();
  expect(page.textContent).not.toContain('Привезём');
  expect([button('Отменить заказ'), button('Оплатить'), button('Оплатить ещё раз')]).toEqual([
    null,
    null,
    null,
  ]);
});

test('what is to be collected has no address', async () => {
  serve({ ...routes, [`GET ${at}`]: orderWith({ delivery_type: 'PICKUP' }) });
  open();
  expect((await screen.findByRole('region', { name: 'Адрес' })).textContent).toBe('АдресСамовывоз');
  expect(screen.queryByText('Абая')).toBeNull();
});

test('an order is given up only after a question', async () => {
  let shown = received;
  const log = serve({
    ...routes,
    [`GET ${at}`]: () => shown,
    [`POST ${at}cancellation/`]: () => {
      shown = orderWith({ status: 'CANCELLED' });
      return {};
    },
  });
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Отменить заказ' }));
  const dialog = () => within(screen.getByRole('dialog', { name: 'Отменить заказ № 100101?' }));
  await user.click(dialog().getByRole('button', { name: 'Оставить' }));
  expect(log.some(to('POST', `${at}cancellation/`))).toBe(false);
  await user.click(screen.getByRole('button', { name: 'Отменить заказ' }));
  await user.click(dialog().getByRole('button', { name: 'Отменить заказ' }));
  expect(await screen.findByText('Заказ отменен')).toBeTruthy();
  await waitFor(() => expect(button('Отменить заказ')).toBeNull());
  expect(log.filter(to('POST', `${at}cancellation/`))).toHaveLength(1);
});

test('a cancellation that comes too late says why, and shows the order as it is', async () => {
  let shown = received;
  serve({
    ...routes,
    [`GET ${at}`]: () => shown,
    [`POST ${at}cancellation/`]: () => {
      shown = orderWith({ status: 'PROCESSING' });
      return { status: 409, body: { detail: 'Заказ уже собирают' } };
    },
  });
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Отменить заказ' }));
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Отменить заказ' }));
  expect(await screen.findByText('Заказ уже собирают')).toBeTruthy();
  expect(await screen.findByText('Заказ подтвержден')).toBeTruthy();
});

test.each([
  ['RECEIVED', 'Оплатить'],
  ['PAYMENT_ERR', 'Оплатить ещё раз'],
] as const)('an order that is %s leads to the bank', async (status, name) => {
  serve({
    ...routes,
    [`GET ${at}`]: orderWith({ status, payment_method: 'CARD' }),
    [`POST ${at}payment/`]: { payment_url: 'https://bank.example/pay/1' },
  });
  const assign = vi.spyOn(location, 'assign').mockImplementation(() => {});
  const { user } = open();
  await user.click(await screen.findByRole('button', { name }));
  await waitFor(() => expect(assign).toHaveBeenCalledWith('https://bank.example/pay/1'));
});

test("someone else's order is shown as missing", async () => {
  serve(routes);
  open();
  expect(await screen.findByText('Упс. Мы не нашли такую страницу')).toBeTruthy();
});
