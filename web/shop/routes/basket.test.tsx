import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { type Asked, serve, to } from '../../kit/testing/server';
import { session } from '../api/session';
import { basket } from '../features/basket/basket-store';
import { calculationWith, cardWith, recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import BasketPage from './basket';

const serum = cardWith({ id: 'serum', link: 'serum', name: 'Сыворотка', amount: 3 });
const soap = cardWith({ id: 'soap', link: 'soap', name: 'Мыло', amount: 5 });
const pricing = 'POST /api/orders/calculate-price/';
const isPricing = to('POST', '/api/orders/calculate-price/');
const open = () => renderAt('/basket', '/basket', <BasketPage />);
const routes = {
  'GET /api/rules/': recorded.rules,
  'GET /api/products/serum/': { ...recorded.product, ...serum },
  'GET /api/products/soap/': { ...recorded.product, ...soap },
};

test('an empty basket says so and asks for no price', async () => {
  const log = serve(routes);
  open();
  expect(screen.getByText('Товаров в корзине пока нет')).toBeTruthy();
  expect(log.filter(isPricing)).toEqual([]);
});

test('the way to checkout is there only when the server allows an order', async () => {
  basket.add(serum);
  serve({
    ...routes,
    [pricing]: calculationWith({ can_create_order: false, missing_sum: 3750, total_sum: 3250 }),
  });
  const { unmount } = open();
  expect(await screen.findByText(/Осталось набрать/)).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Оформить заказ' })).toBeNull();
  unmount();
  serve({ ...routes, [pricing]: calculationWith() });
  open();
  expect((await screen.findByRole('link', { name: 'Оформить заказ' })).getAttribute('href')).toBe(
    '/checkout',
  );
});

test('what follows the sums comes with them, and moves nothing', async () => {
  basket.add(serum);
  let priced = () => {};
  const waits = new Promise<void>((done) => {
    priced = done;
  });
  serve({ ...routes, [pricing]: () => waits.then(() => calculationWith()) });
  open();
  await waitFor(() => expect(screen.getByRole('link', { name: /Сыворотка/ })).toBeTruthy());
  expect(screen.queryByText(/Минимальная сумма/)).toBeNull();
  expect(screen.queryByRole('link', { name: 'Войдите' })).toBeNull();
  priced();
  expect(await screen.findByText(/Минимальная сумма/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Войдите' })).toBeTruthy();
});

test('a line leads to the address that its product has', () => {
  basket.add(cardWith({ id: 'serum', link: 'serum', name: 'Сыворотка', package_size: '' }));
  serve(routes);
  open();
  expect(screen.getByRole('link', { name: 'Сыворотка' }).getAttribute('href')).toBe('/product/serum');
});

test('back leads to the page before, and to the catalogue in a tab that begins here', async () => {
  serve(routes);
  const pages = vi.spyOn(history, 'length', 'get').mockReturnValue(2);
  const { user, unmount } = open();
  await user.click(screen.getByRole('button', { name: 'Назад' }));
  expect(screen.getByText('at /before')).toBeTruthy();
  unmount();
  pages.mockReturnValue(1);
  const { user: other } = open();
  await other.click(screen.getByRole('button', { name: 'Назад' }));
  expect(screen.getByText('at /categories')).toBeTruthy();
});

test('a change is priced once it stands still', async () => {
  basket.add(serum);
  const log = serve({ ...routes, [pricing]: calculationWith() });
  const { user } = open();
  await waitFor(() => expect(log.filter(isPricing)).toHaveLength(1));
  const plus = screen.getByRole('button', { name: 'Добавить одну штуку' });
  await user.click(plus);
  await user.click(plus);
  await waitFor(() => expect(log.filter(isPricing)).toHaveLength(2));
  expect(log.findLast(isPricing)?.body).toEqual({ products: [{ product: 'serum', amount: 3 }] });
});

test('goods that are gone leave the basket and are named; goods that are short keep the reason', async () => {
  basket.add(serum);
  for (let i = 0; i < 4; i += 1) basket.add(soap);
  const short = 'Товар заканчивается, Вы можете заказать не больше 2 штук';
  const answers = (asked: Asked) =>
    (asked.body as { products: unknown[] }).products.length === 2
      ? {
          status: 400,
          body: { products: [{ product: ['Товара нет в наличии'] }, { product: [short], amount: 2 }] },
        }
      : calculationWith();
  const log = serve({ ...routes, [pricing]: answers });
  open();
  expect((await screen.findByText('Убрали из корзины.')).textContent).toBe(
    'Сыворотка: Товара нет в наличии. Убрали из корзины.',
  );
  expect(screen.getByText(short)).toBeTruthy();
  expect(basket.lines().map((line) => [line.id, line.count])).toEqual([['soap', 2]]);
  await waitFor(() =>
    expect(log.findLast(isPricing)?.body).toEqual({ products: [{ product: 'soap', amount: 2 }] }),
  );
});

test('refusals in Kazakh are not marked as Russian', async () => {
  const translated = { ...serum, russian: [] };
  basket.add(translated);
  for (let i = 0; i < 4; i += 1) basket.add(soap);
  const [gone, short] = [
    'Тауар қоймада жоқ',
    'Тауар таусылып барады, 2 данадан артық тапсырыс бере алмайсыз',
  ];
  const answers = (asked: Asked) =>
    (asked.body as { products: unknown[] }).products.length === 2
      ? { status: 400, body: { products: [{ product: [gone] }, { product: [short], amount: 2 }] } }
      : calculationWith();
  const known = { 'GET /api/products/serum/': { ...recorded.product, ...translated } };
  serve({ ...routes, ...known, [pricing]: answers });
  open();
  expect((await screen.findByText(`${gone}.`)).lang).toBe('');
  expect(screen.getByText('Сыворотка:').lang).toBe('kk');
  expect(screen.getByText(short).lang).toBe('');
});

test('a plus beyond the stock is answered for five seconds', async () => {
  basket.add(cardWith({ id: 'serum', name: 'Сыворотка', amount: 1 }));
  serve({ ...routes, 'GET /api/products/serum/': { status: 503 }, [pricing]: calculationWith() });
  const { user } = open();
  vi.useFakeTimers();
  const said = 'Товар заканчивается, Вы можете заказать не более 1 штук';
  act(() => screen.getByRole('button', { name: 'Добавить одну штуку' }).click());
  expect(screen.getByText(said)).toBeTruthy();
  act(() => void vi.advanceTimersByTime(4999));
  expect(screen.getByText(said)).toBeTruthy();
  act(() => void vi.advanceTimersByTime(1));
  expect(screen.queryByText(said)).toBeNull();
  expect(user).toBeTruthy();
});

test('the basket is emptied only after a yes', async () => {
  basket.add(serum);
  serve({ ...routes, [pricing]: calculationWith() });
  const { user } = open();
  await user.click(screen.getByRole('button', { name: 'Очистить корзину' }));
  const dialog = screen.getByRole('dialog', { name: 'Очистка корзины' });
  await user.click(within(dialog).getByRole('button', { name: 'Нет' }));
  expect(basket.lines()).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Очистить корзину' }));
  await user.click(within(dialog).getByRole('button', { name: 'Да' }));
  expect(await screen.findByText('Товаров в корзине пока нет')).toBeTruthy();
});

test('a line takes over what the shop says about its product now', async () => {
  basket.add({ ...serum, discounted_price: 1, price: 1 });
  serve({
    ...routes,
    'GET /api/products/serum/': { ...recorded.product, ...serum, price: 5000, discounted_price: 4000 },
    [pricing]: calculationWith(),
  });
  open();
  await waitFor(() =>
    expect(basket.lines()[0]).toMatchObject({ price: 5000, discounted_price: 4000, count: 1 }),
  );
});

test('a price that changed meanwhile is told on its line, and dismissed', async () => {
  basket.add({ ...serum, discounted_price: 3500 });
  serve({
    ...routes,
    'GET /api/products/serum/': { ...recorded.product, ...serum, price: 5000, discounted_price: 4000 },
    [pricing]: calculationWith(),
  });
  const { user } = open();
  expect(await screen.findByText(/Цена изменилась: была 3.500.₸, стала 4.000.₸/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Понятно: Сыворотка' }));
  expect(screen.queryByText(/Цена изменилась/)).toBeNull();
});

test('who is signed in is not asked to sign in', async () => {
  basket.add(serum);
  serve({ ...routes, [pricing]: calculationWith() });
  const { unmount } = open();
  expect((await screen.findByRole('link', { name: 'Войдите' })).getAttribute('href')).toBe(
    '/login?next=/basket',
  );
  unmount();
  session.start({ userId: 'anna', token: 't' });
  open();
  expect(screen.queryByRole('link', { name: 'Войдите' })).toBeNull();
});
