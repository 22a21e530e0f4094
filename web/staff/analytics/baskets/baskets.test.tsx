import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { open, step } from '../testing/open';

const id = '01a20224-fbd7-7adc-b002-cf7b97c7d6fa';
const order = '01a20224-fbd8-768a-8515-9c3809f2a706';
const oil = '162dd7f0-1977-53f7-9f9c-d72d3ecd87e5';
const api = `GET /api/analytics/baskets/${id}/`;
const calculation = (amount: number) => ({
  lines: [{ product_id: oil, article: 'DL-10071', name: 'Масло с арганой', amount, total: 7_900 * amount }],
  total_sum: 7_900 * amount,
});
const state = { OrderID: '00000000-0000-0000-0000-000000000000', Since: '2026-03-02T05:24:07Z' };
const basket = {
  stream: `basket-${id}`,
  steps: [
    step({ type: 'basket.priced', state: { ...state, Calculation: calculation(1) } }),
    step({
      version: 2,
      position: 8,
      type: 'basket.priced',
      state: { ...state, Calculation: calculation(2) },
      changes: [{ field: 'Calculation.total_sum', was: 7_900, now: 15_800 }],
    }),
    step({
      version: 3,
      position: 9,
      type: 'basket.checked-out',
      state: { OrderID: order, Since: '0001-01-01T00:00:00Z', Calculation: calculation(2) },
      changes: [{ field: 'Since', was: state.Since, now: '0001-01-01T00:00:00Z' }],
      effects: [`order-${order}`, `stock-${oil}`].map((stream, at) => ({
        stream,
        position: 10 + at,
        version: 1,
        type: at === 0 ? 'order.placed' : 'stock.reserved',
        recorded_at: '2026-03-02T05:33:11Z',
        actor: 'guest',
        caused: false,
      })),
    }),
  ],
};

test('a basket is found by its id as the log writes it, and followed to its order and its goods', async () => {
  const { user } = open('/analytics/baskets', { [api]: basket });
  await user.type(await screen.findByLabelText('Basket id'), `basket-${id}{Enter}`);
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe(`/analytics/baskets/${id}`));
  expect(await screen.findByRole('heading', { name: 'basket.checked-out' })).toBeDefined();
  const effects = within(screen.getByRole('region', { name: 'Effects' }));
  expect(effects.getByRole('link', { name: `order-${order}` }).getAttribute('href')).toBe(
    `/analytics/orders/${order}?version=1`,
  );
  expect(effects.getByRole('link', { name: 'Масло с арганой' }).getAttribute('href')).toBe(
    `/analytics/products/${oil}`,
  );
});

test('a time that never was is told as nothing', async () => {
  open(`/analytics/baskets/${id}`, { [api]: basket });
  const changes = await screen.findByRole('region', { name: 'Changes' });
  expect(within(changes).getByRole('row', { name: /^Since .* —$/ })).toBeDefined();
  expect(screen.getByText('Order id')).toBeDefined();
  expect(screen.getByText(/^Empty: .*since/)).toBeDefined();
});

test('the version of the address is shown, pricing by pricing', async () => {
  open(`/analytics/baskets/${id}?version=2`, { [api]: basket });
  const changes = await screen.findByRole('region', { name: 'Changes' });
  expect(within(changes).getByRole('row', { name: 'Calculation.total_sum 7,900 15,800' })).toBeDefined();
  const goods = within(screen.getByRole('region', { name: 'Lines' }));
  expect(goods.getByRole('row', { name: 'DL-10071 Масло с арганой 2 15,800' })).toBeDefined();
});

test('a basket that is not known', async () => {
  open('/analytics/baskets/x', {
    'GET /api/analytics/baskets/x/': { status: 400, body: { id: ['Must be a UUID.'] } },
  });
  expect(await screen.findByText('There is no such basket')).toBeDefined();
});
