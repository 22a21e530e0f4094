import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { serve, to } from '../../kit/testing/server';
import { session } from '../api/session';
import type { SignIn } from '../api/types';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import AccountSecurityPage from './account-security';

const { profile } = recorded;
const sessions = '/api/auth/profile/sessions/';
const passkeys = '/api/auth/profile/passkeys/';
const password = '/api/auth/profile/password/';
const signIn = (id: string, more: Partial<SignIn>): SignIn => ({
  id,
  device: '',
  network: '',
  created_at: '2026-03-01T08:00:00Z',
  seen_at: '2026-03-02T07:05:00Z',
  ends_at: '2026-03-16T07:05:00Z',
  current: false,
  ...more,
});
const here = signIn('1', { device: 'Chrome, Windows', current: true });
const phone = signIn('2', { device: 'Safari, iPhone', network: '203.0.113.*' });
const unknown = signIn('3', {});
const open = () => renderAt('/account/security', '/account/security', <AccountSecurityPage />);

beforeEach(() => session.start({ userId: profile.id, token: 'secret' }));

test('the sign-ins are listed, and each but this one can be ended', async () => {
  let list = [here, phone, unknown];
  const log = serve({
    'GET /api/auth/profile/': profile,
    [`GET ${passkeys}`]: [],
    [`GET ${sessions}`]: () => list,
    [`DELETE ${sessions}2/`]: () => {
      list = [here, unknown];
      return {};
    },
    [`DELETE ${sessions}`]: () => {
      list = [here];
      return {};
    },
  });
  const { user } = open();
  const part = within(await screen.findByRole('region', { name: 'Где выполнен вход' }));
  expect(await part.findByText('Последний раз 02.03.2026 в 12:05, сеть 203.0.113.*')).toBeTruthy();
  expect(part.getByText('Это устройство').closest('li')?.textContent).toContain('Chrome, Windows');
  expect(part.queryByRole('button', { name: 'Завершить вход: Chrome, Windows' })).toBeNull();
  await user.click(part.getByRole('button', { name: 'Завершить вход: Safari, iPhone' }));
  await expect.poll(() => part.queryByText('Safari, iPhone')).toBeNull();
  expect(part.getByText('Неизвестное устройство')).toBeTruthy();
  await user.click(part.getByRole('button', { name: 'Завершить все другие входы' }));
  await expect.poll(() => part.queryByText('Неизвестное устройство')).toBeNull();
  expect(part.queryByRole('button')).toBeNull();
  expect(log.filter(to('DELETE', sessions))).toHaveLength(1);
});

test('a password is changed by the present one', async () => {
  let refuse = true;
  const log = serve({
    'GET /api/auth/profile/': profile,
    [`GET ${passkeys}`]: [],
    [`GET ${sessions}`]: [here],
    [`POST ${password}`]: () =>
      refuse ? { status: 400, body: { current_password: ['Неверный пароль'] } } : {},
  });
  const { user } = open();
  await user.type(await screen.findByLabelText('Текущий пароль'), 'wrong');
  await user.type(screen.getByLabelText('Новый пароль'), 'long enough');
  await user.type(screen.getByLabelText('Повторите новый пароль'), 'long enoug');
  await user.click(screen.getByRole('button', { name: 'Сменить пароль' }));
  expect(await screen.findByText('Пароли не совпадают')).toBeTruthy();
  await user.type(screen.getByLabelText('Повторите новый пароль'), 'h');
  await user.click(screen.getByRole('button', { name: 'Сменить пароль' }));
  expect(await screen.findByText('Неверный пароль')).toBeTruthy();
  refuse = false;
  await user.click(screen.getByRole('button', { name: 'Сменить пароль' }));
  expect(await screen.findByText('Пароль изменён')).toBeTruthy();
  expect(log.filter(to('POST', password))).toHaveLength(2);
  expect(screen.getByLabelText<HTMLInputElement>('Текущий пароль').value).toBe('');
});

test('passkeys are listed and can be removed; a browser without them says so', async () => {
  let list = [
    { id: '1', name: 'Мой телефон', created_at: '2026-03-01T08:00:00Z', used_at: '2026-03-02T08:00:00Z' },
    { id: '2', name: 'Ноутбук', created_at: '2026-03-01T08:00:00Z', used_at: null },
  ];
  serve({
    'GET /api/auth/profile/': profile,
    [`GET ${sessions}`]: [here],
    [`GET ${passkeys}`]: () => list,
    [`DELETE ${passkeys}1/`]: () => {
      list = list.slice(1);
      return {};
    },
  });
  const { user } = open();
  const part = within(await screen.findByRole('region', { name: 'Ключи доступа' }));
  expect(await part.findByText('Добавлен 01.03.2026, использован 02.03.2026')).toBeTruthy();
  expect(part.getByText('В этом браузере ключи доступа недоступны.')).toBeTruthy();
  expect(part.queryByRole('button', { name: 'Добавить ключ доступа' })).toBeNull();
  await user.click(part.getByRole('button', { name: 'Удалить ключ: Мой телефон' }));
  await expect.poll(() => part.queryByText('Мой телефон')).toBeNull();
  expect(part.getByText('Ноутбук')).toBeTruthy();
});
