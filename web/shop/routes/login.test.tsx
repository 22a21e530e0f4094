import { act, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { serve, to } from '../../kit/testing/server';
import { session } from '../api/session';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import LoginPage from './login';

const isSignIn = to('POST', '/api/token/');
const signIn = 'POST /api/token/';
const routes = { 'GET /api/rules/': recorded.rules };
const open = (path = '/login') => renderAt(path, '/login', <LoginPage />);
const submit = () => screen.getByRole('button', { name: 'Войти' });
const email = () => screen.getByLabelText<HTMLInputElement>('E-mail');
const password = () => screen.getByLabelText<HTMLInputElement>('Пароль');

test('nothing is sent while a field is empty', async () => {
  const log = serve(routes);
  const { user } = open();
  await user.type(email(), 'anna@example.kz');
  await user.click(submit());
  await waitFor(() => expect(password().getAttribute('aria-invalid')).toBe('true'));
  expect(email().getAttribute('aria-invalid')).toBe('false');
  expect(log.filter(isSignIn)).toEqual([]);
});

test('who signs in comes to the account, or back to where they were', async () => {
  const log = serve({ ...routes, [signIn]: { access: 'secret', id: 'c1' } });
  const { user, unmount } = open();
  await user.type(email(), 'anna@example.kz');
  await user.type(password(), ' with spaces ');
  await user.click(submit());
  expect(await screen.findByText('at /account/info')).toBeTruthy();
  expect(session.get()).toEqual({ userId: 'c1', token: 'secret' });
  expect(log.find(isSignIn)?.body).toEqual({ username: 'anna@example.kz', password: ' with spaces ' });
  unmount();
  open('/login?next=%2Faccount%2Forder%2F7');
  expect(await screen.findByText('at /account/order/7')).toBeTruthy();
});

test('another site is no place to go on to', async () => {
  serve(routes);
  session.start({ userId: 'c1', token: 'secret' });
  open('/login?next=%2F%2Fevil.example');
  expect(await screen.findByText('at /account/info')).toBeTruthy();
});

test('a wrong pair is said for two seconds, and both fields stay marked until they are edited', async () => {
  serve({ ...routes, [signIn]: () => ({ status: 401, body: { detail: 'Неверный e-mail или пароль' } }) });
  const { user } = open();
  await user.type(email(), 'anna@example.kz');
  await user.type(password(), 'wrong');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  act(() => submit().click());
  await vi.waitFor(
    () => expect(screen.getByText('Неверный e-mail или пароль').className).toBe('error'),
    15_000,
  );
  await vi.waitFor(() => expect(submit().hasAttribute('disabled')).toBe(false));
  act(() => void vi.advanceTimersByTime(2000));
  expect(screen.getByText('Неверный e-mail или пароль').className).toBe('error past');
  expect(password().getAttribute('aria-invalid')).toBe('true');
  vi.useRealTimers();
  await user.type(password(), '!');
  expect(password().getAttribute('aria-invalid')).toBe('false');
  expect(email().getAttribute('aria-invalid')).toBe('true');
});

test('errors of the server stand beside their fields', async () => {
  serve({
    ...routes,
    [signIn]: () => ({ status: 400, body: { username: ['Не длиннее 254 символов', 'x'] } }),
  });
  const { user } = open();
  await user.type(email(), 'anna@example.kz');
  await user.type(password(), 'secret');
  await user.click(submit());
  const said = await screen.findByText('Не длиннее 254 символов');
  expect(email().getAttribute('aria-describedby')).toBe(said.id);
  expect(document.activeElement).toBe(email());
});

test('the ways to an account and to a new password remember where one was', () => {
  serve(routes);
  open('/login?next=%2Fcheckout');
  const link = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
  expect(link('Зарегистрироваться')).toBe('/registration?next=%2Fcheckout');
  expect(link('Забыли пароль?')).toBe('/reset-password?next=%2Fcheckout');
});
