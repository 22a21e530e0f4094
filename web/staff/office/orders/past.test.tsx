import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Me } from '../../api/types';
import { openPage } from '../../testing/open';

const me: Me = {
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60',
  email: 'boss@shop.example',
  role: 'manager',
  permissions: ['personal.see', 'orders.see', 'orders.change', 'orders.pack'],
  csrf: 'token-of-the-session',
};
const order = {
  id: '01a20160-593e-7398-aa87-bdc0b560fb24',
  number: 101,
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
  delivery_date: null,
  pay_before: null,
  confirm_before: null,
  tags: [],
  assigned_to: null,
  created_at: '2026-11-23T05:00:00Z',
};
const search = '/api/staff/orders/search/';
const routes = { [`POST ${search.slice(0, -1)}`]: { count: 1, more: false, results: [order] } };

test('the list of the past asks for its moment, keeps it in its links and changes nothing', async () => {
  const { asked, user } = openPage('/admin/orders?at=42&status=RECEIVED', routes, me);
  const link = await screen.findByRole('link', { name: '101' });
  expect(link.getAttribute('href')).toBe('/admin/orders/101?at=42');
  await screen.findByText('This is the past, which cannot be changed.');
  await screen.findByText(/Orders are found by names, phones and goods of now/);
  expect(screen.queryByRole('checkbox', { name: /^Select/ })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Reset' }));
  expect(screen.getByTestId('address').textContent).toBe('/admin/orders?at=42');
  await screen.findByRole('link', { name: '101' });
  expect(asked.filter(({ path }) => path === search).map(({ query }) => query.get('at'))).toEqual([
    '42',
    '42',
  ]);
});

test('the list of now is chosen from and leads to the orders of now', async () => {
  openPage('/admin/orders', routes, me);
  const link = await screen.findByRole('link', { name: '101' });
  expect(link.getAttribute('href')).toBe('/admin/orders/101');
  expect(screen.getByRole('checkbox', { name: 'Select order 101' })).toBeTruthy();
  expect(screen.queryByText('This is the past, which cannot be changed.')).toBeNull();
});
