import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { to } from '../../../kit/testing/server';
import type { Me } from '../../api/types';
import { openPage, type Routes } from '../../testing/open';
import type { CashDay } from './queries';

const courier = '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f61';
const keeper: Me = {
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60',
  email: 'azat@shop.example',
  role: 'warehouse',
  permissions: ['orders.see', 'orders.pack'],
  csrf: 'token-of-the-session',
};
const manager: Me = { ...keeper, role: 'manager', permissions: [...keeper.permissions, 'payments.mark'] };
const short: CashDay = {
  courier,
  courier_name: 'azat@shop.example',
  day: '2026-11-20',
  cash: 9000,
  handed_in: 8000,
  short: 1000,
  state: 'short',
  note: 'размен',
  settled_at: '2026-11-20T15:00:00Z',
  settled_by: 'dana@shop.example',
  closed_at: null,
  closed_by: '',
  close_reason: '',
};
const list = (results: CashDay[]): Routes => ({
  'GET /api/staff/rounds/': { from: '2026-10-28', to: '2026-11-27', results },
});

const day = (call: string) => `/api/staff/rounds/${courier}/2026-11-20/${call}`;

test('what is short stays open: the rest is taken, and a sum that is none is told beside its field', async () => {
  const { user, asked } = openPage(
    '/admin/deliveries/cash',
    { ...list([short]), [`POST ${day('cash/')}`]: {} },
    keeper,
  );
  await user.click(await screen.findByRole('button', { name: /^Take the cash of/ }));
  expect(screen.queryByRole('button', { name: /^Close what is short/ })).toBeNull();
  const dialog = within(screen.getByRole('dialog'));
  const sum = dialog.getByLabelText(/^Handed in for/);
  const record = dialog.getByRole('button', { name: 'Record' }) as HTMLButtonElement;
  await user.clear(sum);
  await user.type(sum, '-5');
  expect(sum.getAttribute('aria-invalid')).toBe('true');
  expect(dialog.getByText('Enter whole tenge, not below zero')).toBeTruthy();
  expect(record.disabled).toBe(true);
  await user.clear(sum);
  await user.type(sum, '9000');
  await user.click(record);
  await waitFor(() =>
    expect(asked.find(to('POST', day('cash/')))?.body).toEqual({ handed_in: 9000, note: '' }),
  );
});

test('a manager closes what is short with a reason', async () => {
  const { user, asked } = openPage(
    '/admin/deliveries/cash',
    { ...list([short]), [`POST ${day('closure/')}`]: {} },
    manager,
  );
  await user.click(await screen.findByRole('button', { name: /^Close what is short of/ }));
  const dialog = within(screen.getByRole('dialog'));
  await user.type(dialog.getByLabelText('Why nobody waits for it'), 'withheld');
  await user.click(dialog.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(asked.find(to('POST', day('closure/')))?.body).toEqual({ reason: 'withheld' }));
});

test('days without anything open say so', async () => {
  openPage('/admin/deliveries/cash', list([]), keeper);
  expect(await screen.findByText('No open days')).toBeTruthy();
});

test('days without any cash say so when all are shown', async () => {
  openPage('/admin/deliveries/cash?state=all', list([]), keeper);
  expect(await screen.findByText('There was no cash on these days')).toBeTruthy();
  expect(screen.queryByText('No open days')).toBeNull();
});
