import { screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { say } from '../../../kit/texts/catalogue';
import { calculationWith } from '../../testing/answers';
import { renderPart } from '../../testing/render';
import { kazakh } from '../../texts/kk';
import { type DeliveryWay, MinimumOrder, Totals } from './totals';

afterEach(() => say(undefined));

const shown = (element: Element) => (element.textContent ?? '').replaceAll('\u00a0', ' ');
const totals = (facts: Parameters<typeof calculationWith>[0], way: DeliveryWay = 'courier') =>
  renderPart(
    <Totals calculation={calculationWith(facts)} pending={false} failed={false} retry={() => {}} way={way} />,
  );

test('the explanation shows every step of the server, its note and the total', () => {
  totals({
    total_sum: 32000,
    order_discount: 10,
    discounted_sum: 28800,
    delivery_price: 0,
    is_delivery_calculated: true,
    total_paid: 28800,
    explanation: [
      { code: 'list_price', label: 'Товары', amount: 34000 },
      { code: 'product_discount', label: 'Скидки на товары', amount: -2000 },
      { code: 'promocode', label: 'Промокод', amount: -3200, note: 'Скидка 5 % меньше, она не применяется.' },
      { code: 'delivery', label: 'Доставка', amount: 0 },
    ],
  });
  const steps = within(screen.getByText('Почему столько?').closest('details') as HTMLElement).getAllByRole(
    'listitem',
  );
  expect(steps.map(shown)).toEqual([
    'Товары34 000 ₸',
    'Скидки на товары−2 000 ₸',
    'Промокод−3 200 ₸Скидка 5 % меньше, она не применяется.',
    'Доставка0 ₸',
    'Итого28 800 ₸',
  ]);
});

test('a Kazakh page names the steps by their codes, and marks what it has in Russian', () => {
  say(kazakh);
  totals({
    explanation: [
      { code: 'list_prices', label: 'Товары по обычным ценам', amount: 34000 },
      {
        code: 'promocode',
        label: 'Промокод ALMA10, не больше 3 000 ₸',
        amount: -3000,
        note: 'Скидка 5 % меньше',
      },
      { code: 'hand_price', label: 'Цена от магазина: Крем', amount: -100 },
      { code: 'delivery', label: 'Доставка, Алматы', amount: 1900 },
      { code: 'gift', label: 'Подарок', amount: 0 },
    ],
  });
  const steps = within(screen.getByText('Неге мұнша?').closest('details') as HTMLElement);
  const labels = steps.getAllByRole('listitem').map((step) => step.firstElementChild as HTMLElement);
  expect(labels.map((label) => [label.textContent, label.lang])).toEqual([
    ['Тауарлар әдеттегі бағамен', ''],
    ['Промокод ALMA10', ''],
    ['Дүкен бағасы: Крем', ''],
    ['Жеткізу', ''],
    ['Подарок', 'ru'],
    ['Барлығы', ''],
  ]);
  expect(screen.getByText('Скидка 5 % меньше').lang).toBe('ru');
});

test.each<[DeliveryWay, boolean, number, string]>([
  ['later', false, 0, 'при оформлении'],
  ['city', false, 0, 'выберите город'],
  ['courier', true, 1900, '1 900 ₸'],
  ['courier', true, 0, 'бесплатно'],
  ['courier', false, 0, 'оплачивается курьеру'],
  ['pickup', true, 0, 'бесплатно'],
])('delivery: %s, calculated %s, %d: %s', (way, is_delivery_calculated, delivery_price, text) => {
  totals({ is_delivery_calculated, delivery_price }, way);
  const name = screen.getByText(way === 'pickup' ? 'Самовывоз' : 'Доставка');
  expect(shown(name.nextElementSibling as Element)).toBe(text);
});

test('what is paid to the courier stands apart only when something is paid at once', () => {
  const { unmount } = totals({ payable_now: 100, payable_on_delivery: 50 });
  expect(screen.getByText('К оплате сейчас')).toBeTruthy();
  unmount();
  totals({ payable_now: 0, payable_on_delivery: 150 });
  expect(screen.queryByText('К оплате сейчас')).toBeNull();
});

test('a failed pricing can be tried again', async () => {
  const retry = vi.fn();
  const { user } = renderPart(
    <Totals calculation={undefined} pending={false} failed retry={retry} way="later" />,
  );
  await user.click(screen.getByRole('button', { name: 'Повторить' }));
  expect(retry).toHaveBeenCalledOnce();
});

test('the minimum says how much is missing', () => {
  renderPart(<MinimumOrder minimum={7000} missing={3750} sum={3250} />);
  expect(shown(screen.getByRole('status'))).toBe(
    'Минимальная сумма заказа 7 000 ₸. Осталось набрать 3 750 ₸.',
  );
});
