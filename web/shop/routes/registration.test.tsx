import { screen, waitFor } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { serve, to } from '../../kit/testing/server';
import { session } from '../api/session';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import RegistrationPage from './registration';

const register = 'POST /api/auth/register/';
const isRegister = to('POST', '/api/auth/register/');
const routes = {
  'GET /api/rules/': recorded.rules,
  'GET /api/shop/': { ...recorded.shop, privacy_url: '/privacy.pdf' },
};
const open = () => renderAt('/registration', '/registration', <RegistrationPage />);
const submit = (user: UserEvent) => user.click(screen.getByRole('button', { name: 'Создать аккаунт' }));
const isMarked = (label: string) => screen.getByLabelText(label).getAttribute('aria-invalid') === 'true';
const labels = ['Имя', 'Фамилия', 'Телефон', 'E-mail', 'Пароль', 'Повторите пароль'];

async function fill(user: UserEvent, more: Record<string, string> = {}) {
  const values: Record<string, string> = {
    Имя: 'Анна',
    Фамилия: 'Ким',
    Телефон: '8 701 234 56 78',
    'E-mail': 'anna@example.kz',
    Пароль: 'длинный пароль',
    'Повторите пароль': 'длинный пароль',
    ...more,
  };
  for (const label of labels) await user.type(screen.getByLabelText(label), values[label] as string);
  await user.click(screen.getByRole('checkbox', { name: /Согласен/ }));
}

test('every field and the consent are required', async () => {
  const log = serve(routes);
  const { user } = open();
  await submit(user);
  await waitFor(() => expect(screen.getAllByText('* Заполните поле')).toHaveLength(6));
  expect(labels.filter((label) => !isMarked(label))).toEqual([]);
  expect(screen.getByText('Нужно согласие на обработку персональных данных')).toBeTruthy();
  expect(log.filter(isRegister)).toEqual([]);
});

test.each([
  ['E-mail', 'anna@example', 'Email введен неверно'],
  ['Телефон', '8701', 'Введите номер полностью'],
  ['Пароль', 'пароль7', 'Пароль: от 8 до 256 символов'],
  ['Повторите пароль', 'другой пароль', 'Пароли не совпадают'],
])('%s: %s is refused before anything is sent', async (label, typed, said) => {
  const log = serve(routes);
  const { user } = open();
  await fill(user, { [label]: typed, ...(label === 'Пароль' ? { 'Повторите пароль': typed } : {}) });
  await submit(user);
  expect(await screen.findByText(said)).toBeTruthy();
  expect(labels.filter(isMarked)).toEqual([label]);
  expect(log.filter(isRegister)).toEqual([]);
});

test('the new customer is signed in and comes to the account', async () => {
  const log = serve({ ...routes, [register]: () => ({ status: 201, body: { access: 'secret', id: 'c1' } }) });
  const { user } = open();
  await fill(user);
  await submit(user);
  expect(await screen.findByText('at /account/info')).toBeTruthy();
  expect(session.get()).toEqual({ userId: 'c1', token: 'secret' });
  const address = { city: '', street: '', house: '', floor: '', apartment: '', entrance: '', address: '' };
  expect(log.find(isRegister)?.body).toEqual({
    first_name: 'Анна',
    last_name: 'Ким',
    phone: '+77012345678',
    email: 'anna@example.kz',
    password: 'длинный пароль',
    password_check: 'длинный пароль',
    consent: true,
    info: { ...address, phone: '+77012345678' },
  });
});

test('the first message of a refused field stands beside it', async () => {
  serve({
    ...routes,
    [register]: () => ({ status: 400, body: { email: ['Такой e-mail уже зарегистрирован', 'и ещё'] } }),
  });
  const { user } = open();
  await fill(user);
  await submit(user);
  const said = await screen.findByText('Такой e-mail уже зарегистрирован');
  expect(screen.getByLabelText('E-mail').getAttribute('aria-describedby')).toBe(said.id);
  expect(session.get()).toBeNull();
});
