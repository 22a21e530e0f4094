import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { to } from '../../kit/testing/server';
import { open, operator } from './testing/open';

const session = to('POST', '/api/staff/session/');

test('a session asks for the password, then for the code, and opens what one wanted to see', async () => {
  const { user, asked } = open(
    '/ops/health',
    {
      'POST /api/staff/session': ({ body }: { body: unknown }) =>
        (body as { code?: string }).code === '123456'
          ? { status: 201, body: operator }
          : { status: 202, body: { next: 'code' } },
      'GET /api/ops/health': { status: 500, body: { detail: 'The database is busy.' } },
    },
    null,
  );
  await user.type(await screen.findByLabelText('E-mail'), 'dana@shop.example');
  await user.type(screen.getByLabelText('Password'), 'correct horse');
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  const title = await screen.findByRole('heading', { name: 'Enter the code' });
  expect(document.activeElement).toBe(title);
  await user.type(screen.getByLabelText('Code or recovery code'), '123 456');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByRole('heading', { name: 'Health' })).toBeDefined();
  expect(asked.filter(session).map(({ body }) => body)).toEqual([
    { email: 'dana@shop.example', password: 'correct horse' },
    { email: 'dana@shop.example', password: 'correct horse', code: '123456' },
  ]);
});

test('the first sign-in enrols an authenticator and shows the recovery codes once', async () => {
  const secret = 'GEZDGNBVGY3TQOJQ';
  const { user } = open(
    '/ops',
    {
      'POST /api/staff/session': ({ body }: { body: unknown }) =>
        (body as { code?: string }).code
          ? { status: 201, body: { ...operator, recovery_codes: ['aaaa-1111', 'bbbb-2222'] } }
          : {
              status: 202,
              body: { next: 'enrol', enrolment: { secret, uri: `otpauth://totp/x?secret=${secret}` } },
            },
    },
    null,
  );
  await user.type(await screen.findByLabelText('E-mail'), 'dana@shop.example');
  await user.type(screen.getByLabelText('Password'), 'correct horse');
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText('GEZD GNBV GY3T QOJQ')).toBeDefined();
  expect(await screen.findByRole('img', { name: 'QR code for the authenticator' })).toBeDefined();
  expect(screen.getByRole('link', { name: /on this device/ }).getAttribute('href')).toContain('otpauth://');
  await user.type(screen.getByLabelText('Code of six digits'), '123456');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText('bbbb-2222')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'I have saved them' }));
  expect(await screen.findByRole('heading', { name: 'Projections' })).toBeDefined();
});

test('a refused sign-in says what the server said', async () => {
  const { user } = open(
    '/ops',
    { 'POST /api/staff/session': { status: 401, body: { detail: 'E-mail, password or code is wrong.' } } },
    null,
  );
  await user.type(await screen.findByLabelText('E-mail'), 'dana@shop.example');
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText('E-mail, password or code is wrong.')).toBeDefined();
});

test('a session that ends while one works leads to the sign-in and back to the same screen', async () => {
  let over = true;
  const { user } = open('/ops/builds', {
    'GET /api/ops/builds': () =>
      over ? { status: 401, body: { detail: 'Sign in first.' } } : { status: 200, body: { builds: [] } },
    'POST /api/staff/session': () => {
      over = false;
      return { status: 201, body: operator };
    },
  });
  await user.type(await screen.findByLabelText('E-mail'), 'dana@shop.example');
  await user.type(screen.getByLabelText('Password'), 'correct horse');
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText('Nothing was built yet')).toBeDefined();
  expect(screen.getByTestId('address').textContent).toBe('/ops/builds');
});

test('signing out carries the token and shows the sign-in', async () => {
  const { user, asked } = open('/ops/projections', { 'DELETE /api/staff/session': {} });
  await user.click(await screen.findByRole('button', { name: 'Sign out' }));
  expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeDefined();
  expect(asked.find(to('DELETE', '/api/staff/session/'))?.headers.get('X-CSRF-Token')).toBe(operator.csrf);
});

test('a one-time link lets one choose a password, and its token leaves the address', async () => {
  const { user, asked } = open('/ops/password#the-token', { 'POST /api/staff/password': {} }, null);
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/ops/password'));
  await user.type(screen.getByLabelText('New password'), 'short');
  await user.type(screen.getByLabelText('The same again'), 'other');
  await user.click(screen.getByRole('button', { name: 'Set the password' }));
  expect(screen.getByText('At least 12 characters.')).toBeDefined();
  expect(screen.getByText('The two differ.')).toBeDefined();
  expect(asked.some(to('POST', '/api/staff/password/'))).toBe(false);
  for (const label of ['New password', 'The same again']) {
    await user.clear(screen.getByLabelText(label));
    await user.type(screen.getByLabelText(label), 'correct horse battery');
  }
  await user.click(screen.getByRole('button', { name: 'Set the password' }));
  expect(await screen.findByRole('heading', { name: 'The password is set' })).toBeDefined();
  expect(asked.find(to('POST', '/api/staff/password/'))?.body).toEqual({
    token: 'the-token',
    password: 'correct horse battery',
  });
});

test('a link without its token is said to be incomplete', async () => {
  open('/ops/password', {}, null);
  expect(await screen.findByRole('heading', { name: 'The link is incomplete' })).toBeDefined();
});
