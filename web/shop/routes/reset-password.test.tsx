import { screen, waitFor } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { serve, to } from '../../kit/testing/server';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import ResetPasswordPage from './reset-password';

const base = '/api/auth/profile/password-reset/';
const routes = {
  'GET /api/rules/': recorded.rules,
  [`POST ${base}request/`]: { detail: 'Если аккаунт есть, мы отправили код' },
  [`POST ${base}validate-code/`]: {},
  [`POST ${base}`]: {},
};
const sent = {
  email: 'anna@example.kz',
  code: '402817',
  new_password: 'новый пароль',
  password: 'новый пароль',
};

async function openAtStepTwo() {
  const page = renderAt('/reset-password', '/reset-password', <ResetPasswordPage />);
  await page.user.type(screen.getByLabelText('E-mail'), sent.email);
  await page.user.click(screen.getByRole('button', { name: 'Отправить код' }));
  await screen.findByLabelText('Код из письма');
  return page.user;
}

async function finish(user: UserEvent, again = sent.password) {
  await user.type(screen.getByLabelText('Код из письма'), sent.code);
  await user.type(screen.getByLabelText('Новый пароль'), sent.new_password);
  await user.type(screen.getByLabelText('Повторите пароль'), again);
  await user.click(screen.getByRole('button', { name: 'Сменить пароль' }));
}

test.each([
  ['', '* Заполните поле'],
  ['anna@', 'Email введен неверно'],
])('step one refuses %o', async (typed, said) => {
  const log = serve(routes);
  const { user } = renderAt('/reset-password', '/reset-password', <ResetPasswordPage />);
  if (typed) await user.type(screen.getByLabelText('E-mail'), typed);
  await user.click(screen.getByRole('button', { name: 'Отправить код' }));
  expect(await screen.findByText(said)).toBeTruthy();
  expect(log.some(to('POST', `${base}request/`))).toBe(false);
});

test('the code is checked, then the password is set, then one signs in', async () => {
  const log = serve(routes);
  const user = await openAtStepTwo();
  expect(document.activeElement).toBe(screen.getByLabelText('Код из письма'));
  await finish(user);
  expect(await screen.findByText('at /login')).toBeTruthy();
  expect(log.filter(({ method }) => method === 'POST').map(({ path, body }) => [path, body])).toEqual([
    [`${base}request/`, { email: sent.email }],
    [`${base}validate-code/`, sent],
    [base, sent],
  ]);
});

test('a repetition that differs, or an empty field, is not sent', async () => {
  const log = serve(routes);
  const user = await openAtStepTwo();
  await finish(user, 'другой пароль');
  expect(await screen.findByText('Пароли не совпадают')).toBeTruthy();
  await user.clear(screen.getByLabelText('Код из письма'));
  await user.click(screen.getByRole('button', { name: 'Сменить пароль' }));
  expect(await screen.findByText('* Заполните поле')).toBeTruthy();
  expect(log.some(to('POST', `${base}validate-code/`))).toBe(false);
});

test('a wrong code is said above its field', async () => {
  const log = serve({
    ...routes,
    [`POST ${base}validate-code/`]: () => ({ status: 400, body: { code: ['Неверный или устаревший код'] } }),
  });
  const user = await openAtStepTwo();
  await finish(user);
  const said = await screen.findByText('Неверный или устаревший код');
  expect(screen.getByLabelText('Код из письма').getAttribute('aria-describedby')).toBe(said.id);
  expect(said.parentElement?.className).toContain('above');
  expect(log.some(to('POST', base))).toBe(false);
});

test('a last step that fails leads back to the first, which keeps the e-mail', async () => {
  serve({
    ...routes,
    [`POST ${base}`]: () => ({ status: 400, body: { code: ['Неверный или устаревший код'] } }),
  });
  const user = await openAtStepTwo();
  await finish(user);
  await waitFor(() => expect(screen.queryByLabelText('Код из письма')).toBeNull());
  expect(screen.getByLabelText<HTMLInputElement>('E-mail').value).toBe(sent.email);
  expect(screen.getByText('Неверный или устаревший код')).toBeTruthy();
});
