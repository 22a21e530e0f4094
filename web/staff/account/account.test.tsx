import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { to } from '../../kit/testing/server';
import type { Me } from '../api/types';
import { openPage } from '../testing/open';

const me: Me = {
  id: '0196a000-0000-7000-8000-000000000001',
  email: 'dana@shop.example',
  role: 'support',
  permissions: ['orders.see'],
  csrf: 'token',
};
const session = (id: string, more: object) => ({
  id,
  device: '',
  network: '',
  created_at: '2026-03-01T08:00:00Z',
  seen_at: '2026-03-02T07:05:00Z',
  current: false,
  ...more,
});
const here = session('1', { device: 'Chrome, Windows', current: true });
const phone = session('2', { device: 'Safari, iPhone', network: '203.0.113.*' });
const stepUp = { status: 403, body: { detail: 'Enter a code.', code: 'step-up-required' } };

test('sessions are listed, and each but this one can be ended', async () => {
  let sessions = [here, phone];
  const { user } = openPage(
    '/ops/account',
    {
      'GET /api/staff/me/passkeys': { passkeys: [] },
      'GET /api/staff/me/sessions': () => ({ sessions }),
      'DELETE /api/staff/me/sessions/2': () => {
        sessions = [here];
        return {};
      },
    },
    me,
  );
  const part = within(await screen.findByRole('region', { name: 'Where you are signed in' }));
  expect(await part.findByText('this device')).toBeTruthy();
  expect(part.getByText(/network 203\.0\.113\.\*/)).toBeTruthy();
  await user.click(part.getByRole('button', { name: 'End the session: Safari, iPhone' }));
  await waitFor(() => expect(part.queryByText('Safari, iPhone')).toBeNull());
  expect(part.queryByRole('button')).toBeNull();
});

test('what needs the second factor again asks for it, and the request is repeated', async () => {
  let proved = false;
  const { user, asked } = openPage(
    '/ops/account',
    {
      'GET /api/staff/me/passkeys': { passkeys: [] },
      'GET /api/staff/me/sessions': { sessions: [here] },
      'POST /api/staff/me/recovery-codes': () =>
        proved ? { status: 200, body: { recovery_codes: ['AAAA-1111', 'BBBB-2222'] } } : stepUp,
      'POST /api/staff/me/step-up': ({ body }: { body: unknown }) => {
        proved = (body as { code: string }).code === '123456';
        return proved ? {} : { status: 400, body: { code: ['The code is wrong.'] } };
      },
    },
    me,
  );
  await user.click(await screen.findByRole('button', { name: 'Get new recovery codes' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Confirm that it is you' }));
  await user.type(dialog.getByLabelText('Code or recovery code'), '000000');
  await user.click(dialog.getByRole('button', { name: 'Continue' }));
  expect(await dialog.findByText(/The code is wrong\./)).toBeTruthy();
  await user.type(dialog.getByLabelText('Code or recovery code'), '123456');
  await user.click(dialog.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText('BBBB-2222')).toBeTruthy();
  expect(asked.filter(to('POST', '/api/staff/me/recovery-codes/'))).toHaveLength(2);
});

test('whoever leaves the dialog is told that it was refused', async () => {
  const { user } = openPage(
    '/ops/account',
    {
      'GET /api/staff/me/passkeys': { passkeys: [] },
      'GET /api/staff/me/sessions': { sessions: [here] },
      'POST /api/staff/me/recovery-codes': stepUp,
    },
    me,
  );
  await user.click(await screen.findByRole('button', { name: 'Get new recovery codes' }));
  await user.click(await screen.findByRole('button', { name: 'Leave it' }));
  expect(await screen.findByText('Enter a code.')).toBeTruthy();
});

test('a password is changed by the present one, and what is wrong stands at its field', async () => {
  let refuse = true;
  const { user } = openPage(
    '/ops/account',
    {
      'GET /api/staff/me/passkeys': { passkeys: [] },
      'GET /api/staff/me/sessions': { sessions: [here] },
      'POST /api/staff/me/password': () =>
        refuse ? { status: 400, body: { current_password: ['The password is wrong.'] } } : {},
    },
    me,
  );
  const part = within(await screen.findByRole('region', { name: 'Password' }));
  await user.type(part.getByLabelText('Current password'), 'wrong');
  await user.type(part.getByLabelText('New password'), 'a long password');
  await user.type(part.getByLabelText('The same again'), 'a long password');
  await user.click(part.getByRole('button', { name: 'Change the password' }));
  expect(await part.findByText('The password is wrong.')).toBeTruthy();
  refuse = false;
  await user.click(part.getByRole('button', { name: 'Change the password' }));
  expect(await part.findByText('The password is set')).toBeTruthy();
});

test('an authenticator is replaced by the password, a code and a code of the other', async () => {
  const secret = 'GEZDGNBVGY3TQOJQ';
  const { user, asked } = openPage(
    '/ops/account',
    {
      'GET /api/staff/me/passkeys': { passkeys: [] },
      'GET /api/staff/me/sessions': { sessions: [here] },
      'POST /api/staff/me/authenticator': { secret, uri: `otpauth://totp/x?secret=${secret}` },
      'POST /api/staff/me/authenticator/confirmation': {},
    },
    me,
  );
  const part = within(await screen.findByRole('region', { name: 'Authenticator' }));
  await user.type(part.getByLabelText('Current password'), 'correct horse');
  await user.type(part.getByLabelText('Code or recovery code'), '123456');
  await user.click(part.getByRole('button', { name: 'Set up another authenticator' }));
  expect(await part.findByText('GEZD GNBV GY3T QOJQ')).toBeTruthy();
  await user.type(part.getByLabelText('Code of six digits'), '654321');
  await user.click(part.getByRole('button', { name: 'Confirm the new authenticator' }));
  expect(await part.findByText('The authenticator was replaced.')).toBeTruthy();
  expect(asked.find(to('POST', '/api/staff/me/authenticator/confirmation/'))?.body).toEqual({
    code: '654321',
  });
});
