import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { open, refused } from '../testing/open';

const api = 'GET /api/analytics/orders/100044/';
const address = () => screen.getByTestId('address').textContent;

test('an order is followed back in time with the slider and with the list', async () => {
  open('/analytics/orders/100044', { [api]: refused });
  expect(await screen.findByRole('heading', { name: 'order.payment-failed' })).toBeDefined();
  const changes = screen.getByRole('region', { name: 'Changes' });
  expect(within(changes).getByRole('row', { name: 'status RECEIVED PAYMENT_ERR' })).toBeDefined();

  const slider = screen.getByRole('slider', { name: 'After event 3 of 3' });
  fireEvent.change(slider, { target: { value: '2' } });
  expect(await screen.findByRole('heading', { name: 'order.payment-requested' })).toBeDefined();
  expect(address()).toBe('/analytics/orders/100044?version=2');
  expect(slider.getAttribute('aria-valuetext')).toMatch(/^2 of 3: order.payment-requested, /);

  const first = within(screen.getByRole('navigation', { name: /Events/ })).getAllByRole('link')[0];
  if (first) fireEvent.click(first);
  expect(await screen.findByRole('heading', { name: 'order.placed' })).toBeDefined();
  expect(address()).toBe('/analytics/orders/100044?version=1');
  expect(first?.getAttribute('aria-current')).toBe('step');
  expect((screen.getByRole('button', { name: 'Earlier' }) as HTMLButtonElement).disabled).toBe(true);
});

test('the version of the address is shown, with what came of it and what is hidden', async () => {
  open('/analytics/orders/100044?version=1', { [api]: refused });
  expect(await screen.findByText('It begins here: everything below is new.')).toBeDefined();
  expect(screen.getByText(/hidden from your role: customer email\./)).toBeDefined();
  const reserved = screen.getByRole('region', { name: 'Effects' });
  const link = within(reserved).getByRole('link', { name: 'Масло для волос с арганой первого отжима' });
  expect(link.getAttribute('href')).toBe('/analytics/products/162dd7f0-1977-53f7-9f9c-d72d3ecd87e5');
  expect(screen.getByText('1 letter').nextElementSibling?.textContent).toMatch(
    /^order-placed \(sent .*25.* \d\d:01.*\)$/,
  );
});

test('a moment of the address is shown as the order was then, also before it began', async () => {
  // It asked for the payment in the same second.
  const placed = refused.steps[0]?.recorded_at ?? '';
  const first = open(`/analytics/orders/100044?at=${encodeURIComponent(placed)}`, { [api]: refused });
  expect(await screen.findByRole('heading', { name: 'order.payment-requested' })).toBeDefined();
  expect(screen.getByText(/^As it was .*, after 2 events\.$/)).toBeDefined();
  first.unmount();

  const second = open('/analytics/orders/100044?at=2020-01-01', { [api]: refused });
  expect(await screen.findByText(/^Nothing of it was there yet, 1 Jan 2020 .*: it begins /)).toBeDefined();
  expect(screen.queryByRole('heading', { name: 'order.placed' })).toBeNull();
  fireEvent.change(screen.getByLabelText('As it was at'), { target: { value: '2099-01-01T00:00' } });
  await second.user.click(screen.getByRole('button', { name: 'Show' }));
  expect(await screen.findByRole('heading', { name: 'order.payment-failed' })).toBeDefined();
  expect(address()).toBe(
    `/analytics/orders/100044?at=${encodeURIComponent(new Date('2099-01-01T00:00').toISOString())}`,
  );
  await second.user.click(screen.getByRole('button', { name: 'Now' }));
  expect(address()).toBe('/analytics/orders/100044');
});

test.each([
  ['version=4', 'There is no event 4. The events are 1 to 3.'],
  ['version=0', 'There is no event 0. The events are 1 to 3.'],
  ['at=yesterday', 'yesterday is no time. The last event is shown.'],
])('an address that says %s is told what there is', async (query, said) => {
  open(`/analytics/orders/100044?${query}`, { [api]: refused });
  expect(await screen.findByText(said)).toBeDefined();
});

test('the price is told step by step and proved', async () => {
  open('/analytics/orders/100044', { [api]: refused });
  expect(await screen.findByText('Proved')).toBeDefined();
  const steps = screen.getByRole('region', { name: 'Price, step by step' });
  const total = refused.price?.explanation.reduce((sum, { amount }) => sum + amount, 0);
  expect(total).toBe(refused.steps[0]?.state?.total_paid);
  expect(within(steps).getByRole('row', { name: /^To pay/ }).textContent).toBe(
    `To pay${total?.toLocaleString('en')}\u00a0₸`,
  );
});

test('a price that cannot be proved says why', async () => {
  const price = refused.price && { ...refused.price, holds: false, why: 'another shop priced it' };
  open('/analytics/orders/100044', { [api]: { ...refused, price } });
  expect(await screen.findByText('Not proved')).toBeDefined();
  expect(screen.getByText(/could not be confirmed: another shop priced it\./)).toBeDefined();
});

const row = {
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f61',
  number: 100044,
  status: 'COMPLETED',
  is_paid: true,
  test_payment: false,
  payment_method: 'CASH',
  delivery_type: 'DELIVERY',
  name: '•••',
  email: '•••',
  phone: '•••',
  city: 'Алматы',
  street: '•••',
  lines: 1,
  pieces: 2,
  total_paid: 12_500,
  captured: 12_500,
  owed: 0,
  delivery_date: null,
  pay_before: null,
  confirm_before: null,
  tags: [],
  assigned_to: null,
  created_at: '2026-03-02T05:24:07Z',
};
const list = { count: 1, more: false, results: [row] };
const search = 'POST /api/staff/orders/search/';

test('an order is found by its number as people write it', async () => {
  const { user } = open('/analytics/orders', { [api]: refused, [search]: list });
  await user.type(await screen.findByLabelText('Number, article or product'), '№ 100 044{Enter}');
  await waitFor(() => expect(address()).toBe('/analytics/orders/100044'));
  expect(await screen.findByRole('heading', { name: 'Order 100044' })).toBeDefined();
});

test('the list is narrowed by its address, names nobody, and each row leads to the past of its order', async () => {
  const asked: unknown[] = [];
  const { user } = open('/analytics/orders?status=COMPLETED&city=Алматы&sort=oldest&offset=50', {
    [api]: refused,
    [search]: (call: { body: unknown }) => {
      asked.push(call.body);
      return list;
    },
  });
  const link = await screen.findByRole('link', { name: '100044' });
  expect(asked[0]).toMatchObject({
    statuses: ['COMPLETED'],
    city: 'Алматы',
    sort: 'oldest',
    offset: 50,
    limit: 50,
  });
  expect(screen.queryByText('•••')).toBeNull();
  // Words are searched for in the body, and stand in no address.
  await user.type(screen.getByLabelText('Number, article or product'), 'мыло{Enter}');
  await waitFor(() => expect(asked.at(-1)).toMatchObject({ query: 'мыло', offset: 0 }));
  expect(decodeURIComponent(address() ?? '')).toBe(
    '/analytics/orders?status=COMPLETED&city=Алматы&sort=oldest',
  );
  expect(link.getAttribute('href')).toBe('/analytics/orders/100044');
});

test('an order that other streams name by its id is shown by its number', async () => {
  open(`/analytics/orders/${refused.id}`, { [`GET /api/analytics/orders/${refused.id}/`]: refused });
  expect(await screen.findByRole('heading', { name: 'Order 100044' })).toBeDefined();
});

test('a number that no order has, and a shop that does not answer', async () => {
  const first = open('/analytics/orders/1', {});
  expect(await screen.findByText('There is no such order')).toBeDefined();
  first.unmount();
  let down = true;
  const { user } = open('/analytics/orders/100044', {
    [api]: () => (down ? { status: 500, body: { detail: 'The database is busy.' } } : refused),
  });
  expect(await screen.findByText(/The database is busy/)).toBeDefined();
  down = false;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { name: 'order.payment-failed' })).toBeDefined();
});

test('an order whose money was asked of the test bank says so, and no other does', async () => {
  const { unmount } = open('/analytics/orders/100044', { [api]: refused });
  expect(await screen.findByText(/The test bank takes no money/)).toBeDefined();
  unmount();
  open('/analytics/orders/100044', { [api]: { ...refused, test_payment: false } });
  expect(await screen.findByRole('heading', { name: 'order.payment-failed' })).toBeDefined();
  expect(screen.queryByText(/test bank/)).toBeNull();
});
