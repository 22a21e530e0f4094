import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { serve, to } from '../../kit/testing/server';
import type { OrderRequest } from '../api/types';
import { basket } from '../features/basket/basket-store';
import { attempt } from '../features/checkout/checkout-attempt';
import { saveDraft } from '../features/checkout/checkout-draft';
import { emptyForm } from '../features/checkout/checkout-schema';
import { calculationWith, cardWith, recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import CheckoutPage from './checkout';

const placing = 'POST /api/orders/';
const isPlacing = to('POST', '/api/orders/');
const routes = {
  'GET /api/rules/': recorded.rules,
  'GET /api/shop/': recorded.shop,
  'GET /api/geonames/': recorded.geonames,
  'POST /api/orders/calculate-price/': calculationWith({ is_delivery_calculated: true }),
};
const created = { status: 201, body: { id: 'x', number: 100001, status: 'RECEIVED', is_paid: false } };
const open = () => renderAt('/checkout', '/checkout', <CheckoutPage />);
const keys = (log: ReturnType<typeof serve>) =>
  log.filter(isPlacing).map(({ headers }) => headers.get('Idempotency-Key'));

beforeEach(() => {
  attempt.settle();
  basket.add(cardWith({ id: 'serum', name: 'Сыворотка', amount: 9 }));
  saveDraft({
    ...emptyForm,
    customer_city: 'Алматы',
    customer_street: 'Абая',
    customer_house: '10',
    customer_first_name: 'Айгерим',
    customer_last_name: 'Сейтова',
    customer_email: 'a@example.kz',
    customer_phone: '+7 (701) 123-45-67',
  });
});

/** An order whose answer is lost so many times. */
async function loseAnswers(times: number) {
  let lost = 0;
  const log = serve({
    ...routes,
    [placing]: () => {
      if (lost++ < times) throw new TypeError('Failed to fetch');
      return created;
    },
  });
  const page = open();
  await page.user.click(await screen.findByRole('button', { name: 'Оплатить' }));
  await screen.findByRole('heading', { name: 'Не удалось отправить заказ' });
  return { ...page, log };
}

test('an empty basket has nothing to order: the form is there, its button is disabled', async () => {
  basket.clear();
  const log = serve(routes);
  open();
  expect(screen.getByText('Товаров в корзине пока нет')).toBeTruthy();
  const pay = await screen.findByRole<HTMLButtonElement>('button', { name: 'Оплатить' });
  expect(pay.disabled).toBe(true);
  // There is no price to wait for.
  expect(screen.queryByRole('status', { name: 'Загружаем…' })).toBeNull();
  expect(log.filter(isPlacing)).toEqual([]);
});

test('an order whose answer was lost is sent again as it was, under the same key', async () => {
  const { user, log } = await loseAnswers(2);
  expect(screen.queryByLabelText('Улица')).toBeNull();
  const again = screen.getByRole('button', { name: 'Отправить ещё раз' });
  await user.click(again);
  await waitFor(() => expect(log.filter(isPlacing)).toHaveLength(2));
  await user.click(await screen.findByRole('button', { name: 'Отправить ещё раз' }));
  expect(await screen.findByText('at /#success_popup')).toBeTruthy();
  expect(new Set(keys(log)).size).toBe(1);
  const bodies = log.filter(isPlacing).map(({ body }) => JSON.stringify(body));
  expect(new Set(bodies).size).toBe(1);
});

const twice = (button: HTMLElement) =>
  act(() => {
    button.click();
    button.click();
  });

test('a double click sends an order once, also when it is sent again', async () => {
  let lost = false;
  const log = serve({
    ...routes,
    [placing]: () => {
      if (lost) return created;
      lost = true;
      throw new TypeError('Failed to fetch');
    },
  });
  open();
  twice(await screen.findByRole('button', { name: 'Оплатить' }));
  twice(await screen.findByRole('button', { name: 'Отправить ещё раз' }));
  expect(await screen.findByText('at /#success_popup')).toBeTruthy();
  expect(log.filter(isPlacing)).toHaveLength(2);
});

test('one lost offline goes out by itself when the connection is back', async () => {
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const { log } = await loseAnswers(1);
  expect(screen.getByText(/Отправим заказ, как только она появится/)).toBeTruthy();
  online.mockReturnValue(true);
  act(() => void dispatchEvent(new Event('online')));
  expect(await screen.findByText('at /#success_popup')).toBeTruthy();
  expect(new Set(keys(log)).size).toBe(1);
});

/** Changes the order after its answer was lost, and sends it. */
async function change({ user }: Awaited<ReturnType<typeof loseAnswers>>) {
  await user.click(screen.getByRole('button', { name: 'Изменить заказ' }));
  const house = await screen.findByLabelText<HTMLInputElement>('Дом');
  expect(house.value).toBe('10');
  await user.type(house, '2');
  await user.click(screen.getByRole('button', { name: 'Оплатить' }));
}

test('an order that is changed after its answer was lost keeps the key, so that it is one order', async () => {
  const page = await loseAnswers(1);
  await change(page);
  await screen.findByText('at /#success_popup');
  expect(new Set(keys(page.log)).size).toBe(1);
  expect(page.log.filter(isPlacing)[1]?.body).toMatchObject({ customer_house: '102' });
});

test('an order that had arrived before it was changed is shown as it stands', async () => {
  let asked = 0;
  const log = serve({
    ...routes,
    [placing]: ({ body }: { body: unknown }) => {
      if (asked++ === 0) throw new TypeError('Failed to fetch');
      return (body as OrderRequest).customer_house === '10'
        ? created
        : {
            status: 409,
            body: { detail: 'Этот запрос уже отправлен с другими данными', code: 'request/key-taken' },
          };
    },
  });
  const page = open();
  await page.user.click(await screen.findByRole('button', { name: 'Оплатить' }));
  await screen.findByRole('heading', { name: 'Не удалось отправить заказ' });
  await change({ ...page, log });
  expect(await screen.findByRole('heading', { name: 'Заказ № 100001 уже оформлен' })).toBeTruthy();
  expect(new Set(keys(log)).size).toBe(1);
  await page.user.click(screen.getByRole('button', { name: 'Понятно' }));
  expect(await screen.findByText('at /#success_popup')).toBeTruthy();
});

test('an order that is refused when it is sent again leads back to the form, with the reason', async () => {
  serve({ ...routes, [placing]: () => ({ status: 400, body: { detail: 'Промокод закончился' } }) });
  attempt.begin({ products: [], customer_house: '10' } as unknown as OrderRequest);
  attempt.lose();
  const { user } = open();
  await user.click(screen.getByRole('button', { name: 'Отправить ещё раз' }));
  const reason = await screen.findByText('Промокод закончился');
  expect(document.activeElement).toBe(reason.closest('[role=alert]'));
  expect(screen.getByLabelText('Улица')).toBeTruthy();
});
