import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { to } from '../../../kit/testing/server';
import { open } from '../testing/open';

const id = '01580bea-7199-593f-b862-d214776bc6e8';
const cream = {
  id,
  link: 'tilia-linden-cream',
  name: 'Крем «Липа и сквалан»',
  article: 'DL-10026',
  package_size: '50 мл',
  price: 8_900,
  discounted_price: 8_900,
  amount: 57,
};
const stock = `/api/analytics/products/${id}/stock/`;
const ledger = {
  product_id: id,
  on_hand: 58,
  reserved: 1,
  movements: 2,
  gap: 0,
  entries: [
    {
      position: 7_162,
      version: 2,
      recorded_at: '2026-11-19T16:50:50Z',
      actor: 'staff:cli',
      kind: 'reserved',
      cause: { kind: 'order', ref: '01a20160-8752-7944-bba1-8dd446b47d7e' },
      order_number: 100_397,
      on_hand: 0,
      reserved: 1,
      on_hand_after: 58,
      reserved_after: 1,
    },
    {
      position: 7_069,
      version: 1,
      recorded_at: '2026-11-17T03:00:00Z',
      actor: 'staff:demo',
      kind: 'received',
      cause: { kind: 'receipt', ref: 'demo' },
      order_number: null,
      on_hand: 58,
      reserved: 0,
      on_hand_after: 58,
      reserved_after: 0,
    },
  ],
};
const price = (position: number, recorded_at: string, discounted_price: number) => ({
  position,
  recorded_at,
  actor: 'staff:demo',
  price: 8_900,
  discounted_price,
});
const prices = {
  stream: `product-${id}`,
  prices: [price(71, '2025-11-22T03:00:00Z', 8_900), price(90, '2026-02-01T03:00:00Z', 7_500)],
};
const routes = {
  [`GET /api/products/${id}/`]: cream,
  [`GET ${stock}`]: ledger,
  [`GET /api/analytics/products/${id}/prices/`]: prices,
};

test('the ledger says why there are so many pieces, and that it adds up', async () => {
  open(`/analytics/products/${id}`, routes);
  expect(await screen.findByRole('heading', { name: 'Крем «Липа и сквалан»' })).toBeDefined();
  expect(await screen.findByText('58 pieces')).toBeDefined();
  expect(screen.getByText('Adds up, gap 0')).toBeDefined();
  const rows = within(screen.getByRole('region', { name: /Movements/ })).getAllByRole('row');
  expect(rows[1]?.textContent).toContain('order 100397');
  expect(rows[2]?.textContent).toContain('receipt demo+58');
  const link = screen.getByRole('link', { name: 'order 100397' });
  expect(link.getAttribute('href')).toBe('/analytics/orders/100397');
});

test('a gap of the ledger is no secret', async () => {
  open(`/analytics/products/${id}`, { ...routes, [`GET ${stock}`]: { ...ledger, gap: 1 } });
  expect(await screen.findByText('1 event say otherwise')).toBeDefined();
});

test('the stock of a moment stands in the address and in the question', async () => {
  const { user, asked } = open(`/analytics/products/${id}`, routes);
  fireEvent.change(await screen.findByLabelText('As it was at'), { target: { value: '2026-11-18T12:00' } });
  await user.click(screen.getByRole('button', { name: 'Show' }));
  const at = new Date('2026-11-18T12:00').toISOString();
  await waitFor(() => expect(asked.filter(to('GET', stock)).at(-1)?.query.get('at')).toBe(at));
  expect(screen.getByTestId('address').textContent).toBe(
    `/analytics/products/${id}?at=${encodeURIComponent(at)}`,
  );
  expect((screen.getByLabelText('As it was at') as HTMLInputElement).value).toMatch(/^2026-11-18T12:00/);
});

test.each([
  ['2026-11-18', '2026-11-18T18:59:59.999Z'],
  ['2026-11-18T12:00', '2026-11-18T07:00:00.000Z'],
  ['2026-11-18 12:00:30', '2026-11-18T07:00:30.000Z'],
  ['2026-11-18T12:00:00Z', '2026-11-18T12:00:00.000Z'],
])('a moment of the address may be written %s', async (at, asks) => {
  const { asked } = open(`/analytics/products/${id}?at=${encodeURIComponent(at)}`, routes);
  expect(await screen.findByText('58 pieces')).toBeDefined();
  expect(asked.filter(to('GET', stock)).at(-1)?.query.get('at')).toBe(asks);
});

test('an address that names no moment is told so', async () => {
  const { asked } = open(`/analytics/products/${id}?at=yesterday`, routes);
  expect(await screen.findByText('yesterday is no time. The stock of now is shown.')).toBeDefined();
  expect(await screen.findByText('58 pieces')).toBeDefined();
  expect(asked.filter(to('GET', stock)).at(-1)?.query.has('at')).toBe(false);
});

test('prices are told over time, newest first, with a sentence for who does not see the drawing', async () => {
  open(`/analytics/products/${id}`, routes);
  const rows = within(await screen.findByRole('region', { name: /Prices/ })).getAllByRole('row');
  expect(rows.map((row) => row.children[2]?.textContent)).toEqual(['To pay', '7,500\u00a0₸', '8,900\u00a0₸']);
  expect(screen.getByText(/To pay: 8,900 ₸ \(22 Nov 2025\) to 7,500 ₸ /)).toBeDefined();
});

test('a product is found by its article; one that is not sold any more still opens', async () => {
  const { user, asked, unmount } = open('/analytics/products', {
    'GET /api/products/': { count: 1, results: [cream] },
  });
  await user.type(await screen.findByLabelText('Name or article'), 'DL-10026{Enter}');
  const found = await screen.findByRole('link', { name: 'Крем «Липа и сквалан»' });
  expect(found.getAttribute('href')).toBe(`/analytics/products/${id}`);
  expect(asked.at(-1)?.query.get('search')).toBe('DL-10026');
  expect(screen.getByTestId('address').textContent).toBe('/analytics/products?search=DL-10026');
  unmount();
  open(`/analytics/products/${id}`, { ...routes, [`GET /api/products/${id}/`]: { status: 404, body: {} } });
  expect(await screen.findByText('58 pieces')).toBeDefined();
  expect(screen.getByRole('heading', { name: 'A product' })).toBeDefined();
});

test('a product that never was', async () => {
  open(`/analytics/products/${id}`, {
    [`GET ${stock}`]: { status: 404, body: { detail: 'There is no such product.' } },
    [`GET /api/analytics/products/${id}/prices/`]: {
      status: 404,
      body: { detail: 'There is nothing of it.' },
    },
  });
  expect(await screen.findByText('There is no such product')).toBeDefined();
  expect(screen.queryByText('No movement yet')).toBeNull();
});
