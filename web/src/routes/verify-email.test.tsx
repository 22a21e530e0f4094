import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve, to } from '../../kit/testing/server';
import { session } from '../api/session';
import { renderAt } from '../testing/render';
import VerifyEmailPage from './verify-email';

const verify = 'POST /api/auth/email/verify/';
const isVerify = to('POST', '/api/auth/email/verify/');
const open = (path = '/verify-email#token-of-the-letter') =>
  renderAt(path, '/verify-email', <VerifyEmailPage />);
const heading = (name: string) => screen.findByRole('heading', { name });

test('the token of the link is sent once, and a guest is led on by way of the sign-in', async () => {
  const log = serve({ [verify]: {} });
  open();
  expect(await heading('E-mail подтверждён')).toBeTruthy();
  expect(log.filter(isVerify).map(({ body }) => body)).toEqual([{ token: 'token-of-the-letter' }]);
  expect(screen.getByRole('link', { name: 'Мои заказы' }).getAttribute('href')).toBe(
    '/login?next=%2Faccount%2Forders',
  );
});

test('an old link can be replaced by who is signed in', async () => {
  session.start({ userId: 'c1', token: 'secret' });
  const log = serve({
    [verify]: () => ({ status: 400, body: { token: ['Ссылка устарела'] } }),
    'POST /api/auth/profile/email/': {},
  });
  const { user } = open();
  expect(await heading('Ссылка не подошла')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Отправить письмо ещё раз' }));
  expect(await screen.findByText(/^Письмо отправлено/)).toBeTruthy();
  expect(log.some(to('POST', '/api/auth/profile/email/'))).toBe(true);
});

test('a guest with an old link signs in first', async () => {
  serve({ [verify]: () => ({ status: 400, body: { token: ['Ссылка устарела'] } }) });
  open();
  expect((await screen.findByRole('link', { name: /получить новое письмо/ })).getAttribute('href')).toBe(
    '/login',
  );
});

test('a server that fails is asked again on request', async () => {
  let fails = true;
  serve({ [verify]: () => (fails ? { status: 503 } : {}) });
  const { user } = open();
  const retry = await screen.findByRole('button', { name: 'Повторить' });
  fails = false;
  await user.click(retry);
  expect(await heading('E-mail подтверждён')).toBeTruthy();
});

test('an address without a token asks nothing', async () => {
  const log = serve({});
  open('/verify-email');
  expect(await heading('Ссылка не подошла')).toBeTruthy();
  await waitFor(() => expect(log).toEqual([]));
});
