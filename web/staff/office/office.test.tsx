import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, signedIn } from '../testing/open';
import type { OrderRow } from './api/queries';

const manager = signedIn(
  'manager',
  'personal.see',
  'orders.see',
  'orders.change',
  'orders.pack',
  'orders.refund',
  'reports.see',
);

const row = (facts: Partial<OrderRow>): OrderRow => ({
  id: '01a20160-593e-7398-aa87-bdc0b560fb24',
  number: 100_001,
  status: 'RECEIVED',
  is_paid: false,
  test_payment: false,
  payment_method: 'CASH',
  delivery_type: 'DELIVERY',
  name: 'Анна Ким',
  email: 'anna@example.kz',
  phone: '+77011112233',
  city: 'Алматы',
  street: 'Абая, 1',
  lines: 1,
  pieces: 2,
  total_paid: 11_900,
  captured: 0,
  owed: 0,
  delivery_date: '2026-11-24T00:00:00Z',
  pay_before: null,
  confirm_before: null,
  tags: [],
  assigned_to: null,
  created_at: '2026-11-23T05:00:00Z',
  ...facts,
});

const two = [
  row({}),
  row({ id: '01a20160-593e-7398-aa87-bdc0b560fb25', number: 100_002, total_paid: 5_000 }),
];

test('each number of today leads to its list, and what does not wait is not there', async () => {
  openPage(
    '/admin',
    {
      'GET /api/staff/today': {
        waits: [
          { code: 'to_confirm', count: 3 },
          { code: 'to_pack', count: 0 },
          { code: 'to_hand_over', count: 2, city: 'Алматы' },
        ],
      },
    },
    manager,
  );
  const confirm = await screen.findByRole('link', { name: '3 To confirm' });
  expect(confirm.getAttribute('href')).toBe('/admin/orders?status=RECEIVED&payment=CASH&sort=oldest');
  expect(screen.getByRole('link', { name: /2 To hand over today · Алматы/ }).getAttribute('href')).toContain(
    `city=${encodeURIComponent('Алматы')}`,
  );
  expect(screen.queryByText('To pack')).toBeNull();
});

test('filters stand in the address and words searched for in the request alone', async () => {
  const { user, asked } = openPage(
    '/admin/orders?status=work&mine=yes',
    { 'POST /api/staff/orders/search': { count: 2, more: false, results: two } },
    manager,
  );
  await screen.findByRole('link', { name: '100001' });
  await user.type(screen.getByRole('searchbox'), '8 701 111 22 33{enter}');
  await waitFor(() =>
    expect(asked.at(-1)?.body).toMatchObject({
      query: '8 701 111 22 33',
      statuses: ['RECEIVED', 'APPROVED', 'PROCESSING', 'PAYMENT_ERR'],
      assigned_to: manager.id,
    }),
  );
  expect(screen.getByTestId('address').textContent).toBe('/admin/orders?status=work&mine=yes');
});

test('orders chosen are confirmed together, and each that was refused says why', async () => {
  const { user, asked } = openPage(
    '/admin/orders',
    {
      'POST /api/staff/orders/search': { count: 2, more: false, results: two },
      'POST /api/staff/orders/actions': {
        results: [
          { order: '100001', number: 100_001, status: 'APPROVED' },
          {
            order: '100002',
            number: 100_002,
            status: 'CANCELLED',
            code: 'order/not-received',
            detail: 'Too late',
          },
        ],
      },
    },
    manager,
  );
  await user.click(await screen.findByRole('checkbox', { name: 'Select all on this page' }));
  expect(screen.getByText(/Selected: 2 orders, 16.900/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  const results = await screen.findByRole('status', { name: 'What became of it' });
  expect(within(results).getByText('Done: 1 order.')).toBeTruthy();
  expect(within(results).getByText('Order 100002: Too late')).toBeTruthy();
  expect(asked.find(({ path }) => path.includes('actions'))?.body).toEqual({
    action: 'approve',
    orders: ['100001', '100002'],
    reason: '',
  });
});

test('a role that may not change orders has no button for it', async () => {
  const { user } = openPage(
    '/admin/orders',
    { 'POST /api/staff/orders/search': { count: 2, more: false, results: two } },
    { ...manager, role: 'analyst', permissions: ['orders.see', 'reports.see'] },
  );
  await user.click(await screen.findByRole('checkbox', { name: 'Select order 100001' }));
  expect(screen.getByRole('button', { name: 'Download CSV' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Confirm' })).toBeNull();
  expect(screen.getByRole('searchbox', { name: 'Number, article or product' })).toBeTruthy();
});

test('the list of the past asks for its moment, keeps it in its links and changes nothing', async () => {
  const { asked, user } = openPage(
    '/admin/orders?at=42&status=RECEIVED',
    { 'POST /api/staff/orders/search': { count: 2, more: false, results: two } },
    manager,
  );
  const link = await screen.findByRole('link', { name: '100001' });
  expect(link.getAttribute('href')).toBe('/admin/orders/100001?at=42');
  await screen.findByText('This is the past, which cannot be changed.');
  await screen.findByText(/Orders are found by names, phones and goods of now/);
  expect(screen.queryByRole('checkbox', { name: /^Select/ })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Reset' }));
  expect(screen.getByTestId('address').textContent).toBe('/admin/orders?at=42');
  await screen.findByRole('link', { name: '100001' });
  const searches = asked.filter(({ path }) => path === '/api/staff/orders/search/');
  expect(searches.map(({ query }) => query.get('at'))).toEqual(['42', '42']);
});
