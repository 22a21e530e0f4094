import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Asked } from '../../../kit/testing/server';
import { openPage, signedIn } from '../../testing/open';

const me = signedIn(
  'manager',
  'customers.see',
  'customers.change',
  'personal.see',
  'personal.erase',
  'orders.see',
);
const id = '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f61';
const since = '2026-01-05T06:00:00Z';
const account = {
  id,
  state: 'active',
  email: 'anna@example.kz',
  verified: true,
  first_name: 'Анна',
  last_name: 'Ким',
  phone: '+77011112233',
  city: 'Алматы',
  street: 'Абая',
  house: '1',
  apartment: '',
  groups: ['VIP'],
  created_at: since,
};
const sheet = {
  account,
  orders: 1,
  spent: 0,
  latest: [{ number: 101, status: 'RECEIVED', is_paid: false, total_paid: 9000, created_at: since }],
  bonus: 0,
  ledger: [],
  reviews: [],
  waits: [],
  consents: [],
  notes: [{ text: 'Просит звонить', actor: 'boss@shop.example', at: since }],
  erasure: { by: id, actor: 'boss@shop.example', reason: 'письмо', at: since },
  sessions: 0,
};
const routes = {
  'GET /api/staff/customers/groups': { results: [{ name: 'VIP', customers: 1 }] },
  [`GET /api/staff/customers/${id}`]: sheet,
  'POST /api/staff/customers/search': {
    count: 1,
    more: false,
    results: [
      {
        id,
        state: 'active',
        verified: true,
        name: 'Анна Ким',
        email: account.email,
        phone: account.phone,
        city: 'Алматы',
        orders: 1,
        spent: 0,
        erasure_proposed_at: null,
        groups: ['VIP'],
        created_at: since,
      },
    ],
  },
};
const past = 'This is the past, which cannot be changed.';
const acts = /^(Adjust|Add|End|Export|Propose|Confirm|Keep|Remove|Withdraw)/;

const momentsOf = (asked: Asked[], of: string) =>
  asked.filter(({ path }) => path === of).map(({ query }) => query.get('at'));

test('a customer of the past is only read, and leads to the orders of then', async () => {
  const { asked } = openPage(`/admin/customers/${id}?at=42`, routes, me);
  await screen.findByText(past);
  await screen.findByText('Просит звонить');
  expect(screen.queryAllByRole('button', { name: acts })).toEqual([]);
  expect(screen.queryByRole('textbox')).toBeNull();
  expect(screen.queryByText('Signed in on')).toBeNull();
  expect(screen.getByRole('link', { name: '101' }).getAttribute('href')).toBe('/admin/orders/101?at=42');
  expect(momentsOf(asked, `/api/staff/customers/${id}/`)).toEqual(['42']);
});

test('the same customer of now can be changed', async () => {
  openPage(`/admin/customers/${id}`, routes, me);
  await screen.findByText('Просит звонить');
  expect(screen.queryByText(past)).toBeNull();
  expect(screen.queryAllByRole('button', { name: acts }).length).toBeGreaterThan(3);
});

test('the list of the past asks for its moment and keeps it in its links', async () => {
  const { asked } = openPage('/admin/customers?at=42', routes, me);
  const link = await screen.findByRole('link', { name: 'Анна Ким' });
  expect(link.getAttribute('href')).toBe(`/admin/customers/${id}?at=42`);
  await screen.findByText(/People are found by their phone, e-mail and name of now/);
  expect(momentsOf(asked, '/api/staff/customers/search/')).toEqual(['42']);
  expect(momentsOf(asked, '/api/staff/customers/groups/')).toEqual(['42']);
});
