import { screen, waitFor } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { type Asked, serve, to } from '../../../kit/testing/server';
import { draftKey } from '../../api/draft';
import { session } from '../../api/session';
import { calculationWith, cardWith, recorded } from '../../testing/answers';
import { renderAt } from '../../testing/render';
import { basket } from '../basket/basket-store';
import { attempt } from './checkout-attempt';
import { CheckoutForm } from './checkout-form';

const pricing = 'POST /api/orders/calculate-price/';
const placing = 'POST /api/orders/';
const isPlacing = to('POST', '/api/orders/');
const isPricing = to('POST', '/api/orders/calculate-price/');

/** Prices like the server as far as the form can see: cash only in Алматы, a promo code takes 1 000 off. */
const price = ({ body }: Asked) => {
  const { city, promocode } = body as { city?: string; promocode?: string };
  const total = promocode ? 14980 : 15980;
  return calculationWith({
    is_delivery_calculated: city === 'Алматы',
    total_paid: total,
    discounted_sum: total,
  });
};

const routes = {
  'GET /api/rules/': recorded.rules,
  'GET /api/shop/': recorded.shop,
  'GET /api/geonames/': recorded.geonames,
  'GET /api/promocodes/WELCOME10/': recorded.promocode,
  [pricing]: price,
};

const created = (more: object = {}) => ({
  status: 201,
  body: {
    id: 'x',
    number: 100001,
    status: 'RECEIVED',
    is_paid: false,
    total_paid: 15980,
    payable_now: 0,
    ...more,
  },
});

async function open() {
  const page = renderAt('/checkout', '/checkout', <CheckoutForm />);
  await screen.findByRole('button', { name: 'Оплатить' });
  return page;
}

beforeEach(() => {
  attempt.settle();
  basket.add(cardWith({ id: 'serum', name: 'Сыворотка', amount: 9 }));
});

async function chooseCity(user: UserEvent, name = 'Алматы') {
  const city = screen.getByRole('combobox', { name: /Город/ });
  await user.click(city);
  await user.type(city, name.slice(0, 3));
  await user.click(await screen.findByRole('option', { name: new RegExp(name) }));
}

async function fillPerson(user: UserEvent) {
  await user.type(screen.getByLabelText('Имя'), 'Айгерим');
  await user.type(screen.getByLabelText('Фамилия'), 'Сейтова');
  await user.type(screen.getByLabelText('E-mail'), 'a@example.kz');
  await user.type(screen.getByLabelText('Телефон'), '87011234567');
}

async function fill(user: UserEvent) {
  await chooseCity(user);
  await user.type(screen.getByLabelText('Улица'), 'Абая');
  await user.type(screen.getByLabelText('Дом'), '10');
  await fillPerson(user);
}

const submit = (user: UserEvent) => user.click(screen.getByRole('button', { name: /^(Оплатить|Далее)$/ }));
const errorOf = (label: string | RegExp) => {
  const input = screen.getByLabelText(label, { selector: 'input' });
  expect(input.getAttribute('aria-invalid')).toBe('true');
  return (input.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent)
    .join(' ')
    .trim();
};

test('what is needed is asked for, each under its field, and the first gets the focus', async () => {
  const log = serve(routes);
  const { user } = await open();
  await submit(user);
  expect(await screen.findByText('Проверьте поля с ошибками: 7')).toBeTruthy();
  for (const label of [/Город/, 'Улица', 'Дом', 'Имя', 'Фамилия', 'E-mail']) {
    expect(errorOf(label)).toContain('* Заполните поле');
  }
  expect(document.activeElement).toBe(screen.getByRole('combobox', { name: /Город/ }));
  expect(log.filter(isPlacing)).toEqual([]);
});

test('a wrong e-mail and half a telephone number are named', async () => {
  serve(routes);
  const { user } = await open();
  await user.type(screen.getByLabelText('E-mail'), 'nobody');
  await user.type(screen.getByLabelText('Телефон'), '8701');
  await user.tab();
  expect(errorOf('E-mail')).toContain('Email введен неверно');
  expect(errorOf('Телефон')).toContain('Введите номер полностью');
});

test('an order for cash in Алматы is sent whole, once, and leads to the success popup', async () => {
  const log = serve({ ...routes, [placing]: created() });
  const { user } = await open();
  expect(screen.queryByLabelText('Наличными при получении')).toBeNull();
  await fill(user);
  await user.click(await screen.findByLabelText('Наличными при получении'));
  expect(screen.getByRole('button', { name: 'Далее' })).toBeTruthy();
  await submit(user);
  expect(await screen.findByText('at /#success_popup')).toBeTruthy();
  const orders = log.filter(isPlacing);
  expect(orders).toHaveLength(1);
  expect(orders[0]?.body).toEqual({
    delivery_type: 'DELIVERY',
    customer_city: 'Алматы',
    customer_street: 'Абая',
    customer_house: '10',
    customer_entrance: '',
    customer_floor: '',
    customer_apartment: '',
    address_comment: '',
    customer_first_name: 'Айгерим',
    customer_last_name: 'Сейтова',
    customer_email: 'a@example.kz',
    customer_phone: '+77011234567',
    payment_method: 'CASH',
    use_brand_box: false,
    products: [{ product: 'serum', amount: 1 }],
    expected_total: 15980,
  });
  expect(orders[0]?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f-]{36}$/);
  expect(orders[0]?.headers.get('Accept')).toBe('application/json');
  expect(orders[0]?.headers.get('App-Version')).toBe('v1');
});

test('a city counts, and a promo code is looked up, when they have stood still for 800 ms', async () => {
  let priced = 0;
  let looked = 0;
  serve({
    ...routes,
    [pricing]: (asked: Asked) => {
      if ((asked.body as { city?: string }).city) priced ||= performance.now();
      return price(asked);
    },
    'GET /api/promocodes/WELCOME10/': () => {
      looked = performance.now();
      return recorded.promocode;
    },
  });
  const { user } = await open();
  // Measured from before the first key: a slow machine can only make it longer.
  const choosing = performance.now();
  await chooseCity(user);
  await waitFor(() => expect(priced).toBeGreaterThan(0));
  const typing = performance.now();
  await user.type(screen.getByLabelText(/Промокод/), 'WELCOME10');
  await screen.findByText('Промокод принят');
  expect(priced - choosing).toBeGreaterThan(790);
  expect(looked - typing).toBeGreaterThan(790);
});

test('the offer stands beside the form', async () => {
  serve({
    ...routes,
    'GET /api/shop/': { ...recorded.shop, offer_url: '/documents/offer.pdf' },
  });
  await open();
  const offer = await screen.findByRole('link', { name: /оферт/ });
  expect(offer.getAttribute('href')).toBe('/documents/offer.pdf');
});

test('pickup needs no address and hides it', async () => {
  const log = serve({ ...routes, [placing]: created() });
  const { user } = await open();
  await user.click(screen.getByLabelText(/Самовывоз/));
  expect(screen.queryByLabelText('Улица')).toBeNull();
  await waitFor(() => expect(log.findLast(isPricing)?.body).toMatchObject({ delivery_type: 'PICKUP' }));
  await fillPerson(user);
  await submit(user);
  await screen.findByText('at /#success_popup');
  const order = log.find(isPlacing)?.body as Record<string, unknown>;
  expect(order).toMatchObject({ delivery_type: 'PICKUP', customer_city: 'Алматы' });
  expect('customer_street' in order).toBe(false);
});

test('server errors stand under their fields; the first gets the focus', async () => {
  serve({
    ...routes,
    [placing]: () => ({
      status: 400,
      body: { customer_phone: ['Номер не существует'], customer_house: ['Нет'] },
    }),
  });
  const { user } = await open();
  await fill(user);
  await submit(user);
  await waitFor(() => expect(errorOf('Телефон')).toContain('Номер не существует'));
  expect(errorOf('Дом')).toContain('Нет');
  expect(document.activeElement).toBe(screen.getByLabelText('Дом'));
});

test('a refused order that is changed is another attempt', async () => {
  const log = serve({ ...routes, [placing]: () => ({ status: 400, body: { customer_house: ['Нет'] } }) });
  const { user } = await open();
  await fill(user);
  await submit(user);
  await waitFor(() => expect(errorOf('Дом')).toContain('Нет'));
  await user.type(screen.getByLabelText('Дом'), '1');
  await submit(user);
  await waitFor(() => expect(log.filter(isPlacing)).toHaveLength(2));
  const [first, second] = log.filter(isPlacing).map(({ headers }) => headers.get('Idempotency-Key'));
  expect(second).not.toBe(first);
});

test('a bill in Kaspi is there in every city, and leads to the bank', async () => {
  const log = serve({ ...routes, [placing]: created({ payment_url: '/pay/1' }) });
  const gone = vi.spyOn(location, 'assign').mockImplementation(() => {});
  const { user } = await open();
  await fill(user);
  await user.click(screen.getByLabelText('Счёт в Kaspi'));
  await submit(user);
  await waitFor(() => expect(gone).toHaveBeenCalledWith('/pay/1'));
  expect(log.find(isPlacing)?.body).toMatchObject({ payment_method: 'KASPI_BILL' });
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Далее' }).disabled).toBe(true);
});

/** Anna, signed in, with so many bonuses. */
function anna(bonus_amount: number) {
  session.start({ userId: recorded.profile.id, token: 't' });
  return { ...recorded.profile, info: { ...recorded.profile.info, bonus_amount } };
}

test('a customer finds their data filled in, and has no bonuses to spend at nought', async () => {
  serve({ ...routes, 'GET /api/auth/profile/': anna(0) });
  await open();
  expect(screen.getByLabelText<HTMLInputElement>('Имя').value).toBe('Анна');
  expect(screen.getByLabelText<HTMLInputElement>('Улица').value).toBe('Абая');
  expect(screen.getByLabelText<HTMLInputElement>('Телефон').value).toBe('+7 (701) 234-56-78');
  expect(screen.getByRole<HTMLInputElement>('combobox', { name: /Город/ }).value).toBe('Алматы');
  expect(screen.queryByText('Бонусы')).toBeNull();
});

test('bonuses pay for all that is allowed, or for so much', async () => {
  const log = serve({ ...routes, [placing]: created(), 'GET /api/auth/profile/': anna(90_000) });
  const { user } = await open();
  const spent = () => (log.findLast(isPricing)?.body as { spend_bonus?: unknown } | undefined)?.spend_bonus;
  expect(screen.getByText(/На счёте 90.000.₸. Бонусами можно оплатить до 30 %/)).toBeTruthy();
  await user.click(await screen.findByLabelText(/Списать сколько можно: 4.794.₸/));
  await waitFor(() => expect(spent()).toBe(true));
  await user.click(screen.getByLabelText('Списать часть'));
  await user.type(screen.getByLabelText('Сколько бонусов списать'), '500');
  await waitFor(() => expect(spent()).toBe(500));
  await user.click(await screen.findByLabelText('Наличными при получении'));
  await submit(user);
  await screen.findByText('at /#success_popup');
  expect(log.find(isPlacing)?.body).toMatchObject({ spend_bonus: 500 });
  expect(log.find(isPlacing)?.body).not.toHaveProperty('bonus');
});

test('an amount of bonuses that is no number is named', async () => {
  const log = serve({ ...routes, 'GET /api/auth/profile/': anna(500) });
  const { user } = await open();
  await user.click(screen.getByLabelText('Списать часть'));
  await user.type(screen.getByLabelText('Сколько бонусов списать'), 'все');
  await submit(user);
  await waitFor(() => expect(errorOf('Сколько бонусов списать')).toContain('Введите целое число'));
  expect(log.filter(isPlacing)).toEqual([]);
});

test('another sum is shown before anything is ordered, and goes with the next attempt', async () => {
  let first = true;
  const log = serve({
    ...routes,
    [placing]: () => {
      if (!first) return created();
      first = false;
      return {
        status: 409,
        body: { detail: 'Сумма изменилась.', calculation: calculationWith({ total_paid: 17000 }) },
      };
    },
  });
  const { user } = await open();
  await fill(user);
  // The price of the chosen city comes a moment later, and would take the place of the sum that came with the refusal.
  await waitFor(() => expect(log.findLast(isPricing)?.body).toMatchObject({ city: 'Алматы' }));
  await submit(user);
  const changed = await screen.findByText(/Новая сумма/);
  expect(changed.parentElement?.textContent).toMatch(/Сумма изменилась\. Новая сумма: 17.000/);
  await submit(user);
  await screen.findByText('at /#success_popup');
  const [before, after] = log.filter(isPlacing);
  expect(after?.body).toMatchObject({ expected_total: 17000 });
  expect(after?.headers.get('Idempotency-Key')).not.toBe(before?.headers.get('Idempotency-Key'));
});

test('an order that a rule forbids shows the rule, and says nothing of another sum', async () => {
  const forbidden = 'У Вас уже есть заказы, которые не оплачены и не подтверждены.';
  const log = serve({
    ...routes,
    [placing]: () => ({ status: 409, body: { detail: forbidden, code: 'order/too-many-open' } }),
  });
  const { user } = await open();
  await fill(user);
  await waitFor(() => expect(log.findLast(isPricing)?.body).toMatchObject({ city: 'Алматы' }));
  await submit(user);
  const said = await screen.findByText(forbidden);
  expect(said.closest('[role="alert"]')?.textContent?.trim()).toBe(forbidden);
  expect(screen.queryByText(/Новая сумма/)).toBeNull();
  // The order is not sent again, and the form and the basket are as they were.
  expect(log.filter(isPlacing)).toHaveLength(1);
  expect(basket.lines().map(({ id, count }) => [id, count])).toEqual([['serum', 1]]);
  expect(screen.getByLabelText<HTMLInputElement>('Имя').value).not.toBe('');
});

test('goods that are gone when the order is placed leave it, and nothing is sent again by itself', async () => {
  basket.add(cardWith({ id: 'soap', name: 'Мыло', amount: 9 }));
  const log = serve({
    ...routes,
    [placing]: () => ({ status: 400, body: { products: [{}, { product: ['Товара нет в наличии'] }] } }),
  });
  const { user } = await open();
  await fill(user);
  await submit(user);
  expect((await screen.findByText('Убрали из корзины.')).textContent).toBe(
    'Мыло: Товара нет в наличии. Убрали из корзины.',
  );
  expect(screen.getByText(/Наличие изменилось/)).toBeTruthy();
  expect(basket.lines().map(({ id }) => id)).toEqual(['serum']);
  expect(log.filter(isPlacing)).toHaveLength(1);
});

test('a promo code that exists is priced; one that does not marks the field without words', async () => {
  const log = serve(routes);
  const { user } = await open();
  const code = screen.getByLabelText(/Промокод/);
  await user.type(code, 'WELCOME10');
  expect(await screen.findByText('Промокод принят')).toBeTruthy();
  await waitFor(() => expect(log.findLast(isPricing)?.body).toMatchObject({ promocode: 'WELCOME10' }));
  await user.clear(code);
  await waitFor(() => expect(log.findLast(isPricing)?.body).not.toHaveProperty('promocode'));
  await user.type(code, 'NOPE');
  await waitFor(() => expect(code.getAttribute('aria-invalid')).toBe('true'));
  expect(screen.queryByText('Промокод принят')).toBeNull();
});

test('what was typed is there again after the page was left', async () => {
  serve(routes);
  const first = await open();
  await first.user.type(screen.getByLabelText('Имя'), 'Айгерим');
  first.unmount();
  await open();
  expect(screen.getByLabelText<HTMLInputElement>('Имя').value).toBe('Айгерим');
});

test('a promo code that was typed a moment ago is looked up before the order goes out', async () => {
  const log = serve({ ...routes, [placing]: created() });
  const { user } = await open();
  await fill(user);
  await user.type(screen.getByLabelText(/Промокод/), 'WELCOME10');
  await submit(user);
  await waitFor(() => expect(log.filter(isPlacing)).toHaveLength(1));
  expect(log.find(isPlacing)?.body).toMatchObject({ promocode: 'WELCOME10' });
});

test('an order with a promo code that is none stays here, with the code in focus', async () => {
  const log = serve({ ...routes, [placing]: created() });
  const { user } = await open();
  await fill(user);
  const code = screen.getByLabelText(/Промокод/);
  await user.type(code, 'NOPE');
  await submit(user);
  await waitFor(() => expect(document.activeElement).toBe(code));
  expect(log.filter(isPlacing)).toEqual([]);
  // Marked, it does not stand in the way of an order without it.
  await waitFor(() => expect(code.getAttribute('aria-invalid')).toBe('true'));
  await submit(user);
  await waitFor(() => expect(log.filter(isPlacing)).toHaveLength(1));
  expect(log.find(isPlacing)?.body).not.toHaveProperty('promocode');
});

test('a city that the list does not have is not taken', async () => {
  serve(routes);
  const { user } = await open();
  await chooseCity(user);
  const city = screen.getByRole<HTMLInputElement>('combobox', { name: /Город/ });
  await user.clear(city);
  await user.type(city, 'Нетгород');
  await user.tab();
  expect(city.value).toBe('Алматы');
});

test('what is filled in is kept for the tab; the form as it begins is not', async () => {
  serve(routes);
  const { user } = await open();
  expect(sessionStorage.getItem(draftKey)).toBeNull();
  await user.type(screen.getByLabelText('Улица'), 'Абая');
  await user.click(screen.getByRole('radio', { name: /Самовывоз/ }));
  expect(JSON.parse(sessionStorage.getItem(draftKey) ?? '')).toMatchObject({
    customer_street: 'Абая',
    delivery_type: 'PICKUP',
  });
});
