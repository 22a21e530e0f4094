import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../kit/testing/server';
import { recorded } from '../testing/answers';
import { renderPart } from '../testing/render';
import AboutPage from './about';
import DeliveryPage from './delivery';

test('discounts and delivery are what the rules say now', async () => {
  serve({
    'GET /api/rules/': {
      ...recorded.rules,
      min_order: 8000,
      discount_tiers: [{ from: 40000, percent: 7 }],
      delivery: [{ city: 'Алматы', price: 2500, free_from: 20000 }],
      same_day_before: '13:00',
      no_delivery_weekdays: [6, 7],
      no_delivery_dates: [{ date: '2027-03-22', name: 'Наурыз', name_kk: 'Наурыз' }],
    },
    'GET /api/shop/': recorded.shop,
    'GET /api/content/pages/delivery/': recorded.pageDelivery,
  });
  renderPart(<DeliveryPage />);
  await screen.findByRole('heading', { name: 'Доставка по городу Алматы' });
  const rows = screen.getAllByRole('row').map((row) => row.textContent?.replaceAll('\u00a0', ' '));
  expect(rows.slice(1)).toEqual(['до 40 000 ₸нет', 'от 40 000 ₸7 %']);
  for (const text of [
    'Стоимость 2 500 ₸, бесплатно от 20 000 ₸.',
    'Заказы до 13:00 доставляем в тот же день, позже — на следующий.',
    'Не доставляем: суббота, воскресенье.',
    'Не доставляем: 22.03.2027 — Наурыз.',
    'Минимальная сумма заказа 8 000 ₸.',
    'Доставка курьерской компанией: рассчитывается отдельно и оплачивается курьеру.',
  ]) {
    expect(
      screen.getByText((_, element) => element?.textContent?.replaceAll('\u00a0', ' ') === text),
    ).toBeTruthy();
  }
});

test('what is taken back is what the merchant says, and nothing when nothing is said', async () => {
  serve({
    'GET /api/rules/': recorded.rules,
    'GET /api/shop/': recorded.shop,
    'GET /api/content/pages/delivery/': recorded.pageDelivery,
  });
  renderPart(<DeliveryPage />);
  const returns = (await screen.findByRole('heading', { name: 'Возврат' })).closest('section');
  expect(returns?.textContent).toMatch(/Парфюмерия и косметика .* возврату и обмену не подлежат/);
});

test('about the shop there are four values and a story that leads to the blog', async () => {
  serve({ 'GET /api/content/pages/about/': recorded.pageAbout });
  renderPart(<AboutPage />);
  await screen.findByRole('heading', { name: 'Качество' });
  const headings = screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent);
  expect(headings).toEqual(['Качество', 'Польза', 'Бренды', 'Органика', 'Как всё началось']);
  expect(screen.getByRole('link', { name: 'Читать блог' }).getAttribute('href')).toBe('/news');
});
