import { cleanup, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve, to } from '../../kit/testing/server';
import { session } from '../api/session';
import { renderAt } from '../testing/render';
import CancelEmailPage from './cancel-email';
import TakeBackEmailPage from './take-back-email';
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

const passwords = async (user: ReturnType<typeof open>['user'], again = 'новый пароль') => {
  await user.type(await screen.findByLabelText('Новый пароль'), 'новый пароль');
  await user.type(screen.getByLabelText('Повторите пароль'), again);
};

test('who is not signed in chooses the password of a registration', async () => {
  const log = serve({
    [verify]: ({ body }) =>
      (body as { new_password?: string }).new_password
        ? {}
        : { status: 400, body: { new_password: ['Заполните поле'] } },
  });
  const { user } = open();
  await passwords(user, 'другой пароль');
  await user.click(screen.getByRole('button', { name: 'Подтвердить e-mail' }));
  expect(await screen.findByText('Пароли не совпадают')).toBeTruthy();
  await user.clear(screen.getByLabelText('Повторите пароль'));
  await user.type(screen.getByLabelText('Повторите пароль'), 'новый пароль');
  await user.click(screen.getByRole('button', { name: 'Подтвердить e-mail' }));
  expect(await screen.findByText(/^at \/login/)).toBeTruthy();
  expect(log.findLast(isVerify)?.body).toEqual({
    token: 'token-of-the-letter',
    new_password: 'новый пароль',
    password: 'новый пароль',
  });
});

test('who is not signed in answers for another e-mail with the password', async () => {
  const log = serve({
    [verify]: ({ body }) => {
      const { current_password: given } = body as { current_password?: string };
      if (given === 'мой пароль') return {};
      return { status: 400, body: { current_password: [given ? 'Неверный пароль' : 'Заполните поле'] } };
    },
  });
  const { user } = open();
  await user.type(await screen.findByLabelText('Пароль аккаунта'), 'не мой');
  await user.click(screen.getByRole('button', { name: 'Подтвердить e-mail' }));
  expect(await screen.findByText('Неверный пароль')).toBeTruthy();
  await user.clear(screen.getByLabelText('Пароль аккаунта'));
  await user.type(screen.getByLabelText('Пароль аккаунта'), 'мой пароль');
  await user.click(screen.getByRole('button', { name: 'Подтвердить e-mail' }));
  expect(await heading('E-mail подтверждён')).toBeTruthy();
  expect(log.filter(isVerify)).toHaveLength(3);
});

const cancel = 'POST /api/auth/email/cancel/';
const takeBack = 'POST /api/auth/email/take-back/';

test('a change is cancelled by the button and not by opening the page', async () => {
  const log = serve({ [cancel]: {} });
  const { user } = renderAt('/cancel-email#token-of-the-letter', '/cancel-email', <CancelEmailPage />);
  const button = await screen.findByRole('button', { name: 'Отменить смену e-mail' });
  expect(log).toEqual([]);
  await user.click(button);
  expect(await heading('Смена e-mail отменена')).toBeTruthy();
  expect(log.map(({ body }) => body)).toEqual([{ token: 'token-of-the-letter' }]);
  expect(screen.getByRole('link', { name: 'Задать новый пароль' }).getAttribute('href')).toBe(
    '/reset-password',
  );
});

test('a former e-mail is taken back with a new password', async () => {
  session.start({ userId: 'c1', token: 'secret' });
  const log = serve({ [takeBack]: {} });
  const { user } = renderAt(
    '/take-back-email#token-of-the-letter',
    '/take-back-email',
    <TakeBackEmailPage />,
  );
  await passwords(user);
  expect(log).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Вернуть e-mail' }));
  expect(await screen.findByText(/^at \/login/)).toBeTruthy();
  expect(session.get()).toBeNull();
  expect(log.map(({ body }) => body)).toEqual([
    { token: 'token-of-the-letter', new_password: 'новый пароль', password: 'новый пароль' },
  ]);
});

test('an old link of either kind says so', async () => {
  const old = () => ({ status: 400, body: { token: ['Ссылка устарела'] } });
  serve({ [cancel]: old, [takeBack]: old });
  const first = renderAt('/cancel-email#old', '/cancel-email', <CancelEmailPage />);
  await first.user.click(await screen.findByRole('button', { name: 'Отменить смену e-mail' }));
  expect(await heading('Ссылка не подошла')).toBeTruthy();
  cleanup();
  const { user } = renderAt('/take-back-email#old', '/take-back-email', <TakeBackEmailPage />);
  await passwords(user);
  await user.click(screen.getByRole('button', { name: 'Вернуть e-mail' }));
  expect(await heading('Ссылка не подошла')).toBeTruthy();
});
