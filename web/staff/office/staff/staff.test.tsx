import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Me } from '../../api/types';
import { openPage, startInLanguage } from '../../testing/open';
import type { Member } from './queries';

const me: Me = {
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60',
  email: 'boss@shop.example',
  role: 'admin',
  permissions: ['staff.manage', 'orders.see'],
  csrf: 'token-of-the-session',
};

const member = (facts: Partial<Member>): Member => ({
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f61',
  email: 'dana@shop.example',
  role: 'support',
  state: 'active',
  totp: true,
  created_at: '2026-11-01T05:00:00Z',
  signed_in_at: '2026-11-23T05:00:00Z',
  passkeys: 1,
  sessions: 2,
  seen_at: '2026-11-23T05:00:00Z',
  locked_until: null,
  invited_until: null,
  ...facts,
});
const boss = member({ id: me.id, email: me.email, role: 'admin', passkeys: 0 });
const gone = member({
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f62',
  email: 'old@shop.example',
  role: 'courier',
  state: 'disabled',
  sessions: 0,
});
const accounts = (...all: Member[]) => ({ accounts: all });
const link = { path: '/ops/password#once', ends_at: '2026-11-24T05:00:00Z' };

test('accounts are narrowed by the address', async () => {
  const { user } = openPage(
    '/admin/staff?state=disabled',
    { 'GET /api/staff/accounts': accounts(boss, member({}), gone) },
    me,
  );
  expect(await screen.findByRole('rowheader', { name: 'old@shop.example' })).toBeTruthy();
  expect(screen.queryByRole('rowheader', { name: 'dana@shop.example' })).toBeNull();
  await user.selectOptions(screen.getByRole('combobox', { name: 'State' }), '');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Role' }), 'support');
  expect(screen.getByTestId('address').textContent).toBe('/admin/staff?role=support');
  expect(screen.getAllByRole('row')).toHaveLength(2);
});

test('an invitation shows its link once', async () => {
  const { user, asked } = openPage(
    '/admin/staff',
    {
      'GET /api/staff/accounts': accounts(boss, member({ state: 'invited', sessions: 0, totp: false })),
      'POST /api/staff/accounts': {
        status: 201,
        body: { account: member({ state: 'invited', sessions: 0 }), link },
      },
    },
    me,
  );
  await user.click(await screen.findByRole('button', { name: 'Invite' }));
  const asks = screen.getByRole('dialog');
  await user.type(within(asks).getByRole('textbox', { name: 'E-mail' }), 'dana');
  await user.click(within(asks).getByRole('button', { name: 'Invite' }));
  expect(await within(asks).findByText('Enter an e-mail, such as dana@shop.kz.')).toBeTruthy();
  await user.type(within(asks).getByRole('textbox', { name: 'E-mail' }), '@shop.example');
  await user.selectOptions(within(asks).getByRole('combobox', { name: 'Role' }), 'courier');
  await user.click(within(asks).getByRole('button', { name: 'Invite' }));
  const shown = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Link for a password' });
  expect(shown.value).toBe(`${location.origin}/ops/password#once`);
  expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({
    email: 'dana@shop.example',
    role: 'courier',
  });
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await user.click(screen.getByRole('button', { name: 'Manage dana@shop.example' }));
  expect(screen.queryByRole('textbox', { name: 'Link for a password' })).toBeNull();
});

test('a refusal is said in the language in use, and what takes something away is asked for twice', async () => {
  const { user, asked } = openPage(
    '/admin/staff',
    {
      'GET /api/staff/accounts': accounts(boss, member({ id: gone.id, role: 'admin' })),
      [`PUT /api/staff/accounts/${gone.id}/access`]: {
        status: 409,
        body: { detail: 'This is the last admin: make somebody else one first.', code: 'staff/last-admin' },
      },
    },
    me,
  );
  await startInLanguage('kk');
  await user.click(await screen.findByRole('button', { name: 'Басқару: dana@shop.example' }));
  await user.click(screen.getByRole('button', { name: 'Өшіру' }));
  expect(asked.some(({ method }) => method === 'PUT')).toBe(false);
  const sure = screen.getByRole('dialog', { name: 'Өшіру: dana@shop.example' });
  await user.click(within(sure).getByRole('button', { name: 'Өшіру' }));
  await waitFor(() => expect(within(sure).getByRole('alert').textContent).toContain('Бұл соңғы әкімші'));
});

test("one's own account cannot be shut out", async () => {
  const { user } = openPage('/admin/staff', { 'GET /api/staff/accounts': accounts(boss) }, me);
  await user.click(await screen.findByRole('button', { name: 'Manage boss@shop.example' }));
  expect(screen.getByText('Another admin changes your role, access and second factor.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Disable' })).toBeNull();
  expect(screen.getByRole('button', { name: 'End all sessions' })).toBeTruthy();
});

test('other roles find neither the screen nor the way to it', async () => {
  openPage('/admin/staff', {}, { ...me, role: 'manager', permissions: ['orders.see'] });
  expect(await screen.findByRole('main')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Staff' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Invite' })).toBeNull();
});
