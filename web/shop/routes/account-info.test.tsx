import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { serve, to } from '../../kit/testing/server';
import { session } from '../api/session';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import AccountInfoPage from './account-info';

const { profile } = recorded;
const whole = {
  ...profile,
  email_wanted: null,
  info: { ...profile.info, profile_image: null, floor: '3', entrance: '2' },
};
const change = 'PATCH /api/auth/profile/';
const isChange = to('PATCH', '/api/auth/profile/');
const isPhoto = to('POST', '/api/auth/profile/photo/');
const routes = { 'GET /api/auth/profile/': whole, 'GET /api/geonames/': recorded.geonames };

beforeEach(() => session.start({ userId: profile.id, token: 'secret' }));

async function open() {
  const page = renderAt('/account/info', '/account/info', <AccountInfoPage />);
  await screen.findByRole('button', { name: 'Сохранить' });
  return page.user;
}

const field = (label: string | RegExp) =>
  screen.getByLabelText<HTMLInputElement>(label, { selector: 'input' });
const saying = (text: string) => screen.getByText(text).className;
const save = () => screen.getByRole('button', { name: 'Сохранить' });
const png = (bytes = 4) => new File([new Uint8Array(bytes)], 'me.png', { type: 'image/png' });

test('the profile is shown with its telephone masked, and saved as the server keeps it', async () => {
  const log = serve({ ...routes, [change]: { ...whole, first_name: 'Анюта' } });
  const user = await open();
  expect(field('Телефон').value).toBe('+7 (701) 234-56-78');
  expect(save().hasAttribute('disabled')).toBe(false);
  await user.clear(field('Имя'));
  await user.type(field('Имя'), 'Анюта');
  await user.click(save());
  expect(await screen.findByText('Сохранено')).toBeTruthy();
  expect(log.find(isChange)?.body).toEqual({
    first_name: 'Анюта',
    last_name: 'Ким',
    email: 'anna@example.kz',
    info: {
      phone: '+77012345678',
      city: 'Алматы',
      street: 'Абая',
      house: '10',
      floor: '3',
      apartment: '5',
      entrance: '2',
    },
  });
  expect(within(screen.getByRole('region', { name: 'Личный кабинет' })).getByText('Анюта Ким')).toBeTruthy();
});

test('another e-mail needs the password; a wrong one is said beside it', async () => {
  let right = false;
  const wanted = { ...whole, email_wanted: 'new@example.kz' };
  const log = serve({
    ...routes,
    [change]: () =>
      right ? { status: 200, body: wanted } : { status: 400, body: { password: ['Неверный пароль'] } },
  });
  const user = await open();
  expect(screen.queryByLabelText('Текущий пароль')).toBeNull();
  await user.clear(field('E-mail'));
  await user.type(field('E-mail'), 'Anna@example.kz');
  expect(screen.queryByLabelText('Текущий пароль')).toBeNull();
  await user.clear(field('E-mail'));
  await user.type(field('E-mail'), 'new@example.kz');
  await user.click(save());
  await waitFor(() => expect(field('Текущий пароль').getAttribute('aria-invalid')).toBe('true'));
  expect(log.some(isChange)).toBe(false);
  await user.type(field('Текущий пароль'), 'не тот');
  await user.click(save());
  expect(await screen.findByText('Неверный пароль')).toBeTruthy();
  right = true;
  await user.type(field('Текущий пароль'), '!');
  await user.click(save());
  expect(await screen.findByText('Сохранено')).toBeTruthy();
  expect(log.findLast(isChange)?.body).toMatchObject({ email: 'new@example.kz', password: 'не тот!' });
  expect(screen.queryByLabelText('Текущий пароль')).toBeNull();
});

test('nothing is sent while a field is empty; the first of them is marked and has the focus', async () => {
  const log = serve({ ...routes, 'GET /api/auth/profile/': profile });
  const user = await open();
  await user.type(field('Имя'), '!');
  await user.click(save());
  await waitFor(() => expect(field('Этаж').getAttribute('aria-invalid')).toBe('true'));
  expect(field('Подъезд').getAttribute('aria-invalid')).toBe('true');
  expect(document.activeElement).toBe(field('Этаж'));
  expect(log.some(isChange)).toBe(false);
});

test('what the server refuses, also within info, leaves sight after two seconds and stays marked', async () => {
  serve({
    ...routes,
    [change]: () => ({
      status: 400,
      body: { info: { street: ['Не длиннее 200 символов', 'x'], city: ['Нет такого города'] } },
    }),
  });
  const user = await open();
  await user.type(field('Улица'), ' 1');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  act(() => save().click());
  await vi.waitFor(() => expect(saying('Не длиннее 200 символов')).toBe('error'), 15_000);
  expect(field('Улица').getAttribute('aria-describedby')).toBe(
    screen.getByText('Не длиннее 200 символов').id,
  );
  expect(document.activeElement).toBe(field(/Город/));
  await vi.waitFor(() => expect(save().hasAttribute('disabled')).toBe(false));
  act(() => void vi.advanceTimersByTime(2000));
  expect(saying('Не длиннее 200 символов')).toBe('error past');
  expect(saying('Нет такого города')).toBe('error past');
  expect(field('Улица').getAttribute('aria-invalid')).toBe('true');
  vi.useRealTimers();
  await user.type(field('Улица'), '0');
  expect(field('Улица').getAttribute('aria-invalid')).toBe('false');
});

test('an e-mail that is not proved says so, and its letter is sent again', async () => {
  const log = serve({ ...routes, 'GET /api/auth/profile/': profile, 'POST /api/auth/profile/email/': {} });
  const user = await open();
  expect(screen.getByText(/^Мы отправили письмо на kim@example.kz/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Отправить письмо ещё раз' }));
  expect(await screen.findByText(/^Письмо отправлено/)).toBeTruthy();
  expect(log.some(to('POST', '/api/auth/profile/email/'))).toBe(true);
});

test('a photo is previewed, goes after the profile was saved, and is then the photo shown', async () => {
  const log = serve({
    ...routes,
    [change]: whole,
    'POST /api/auth/profile/photo/': {
      ...whole,
      info: { ...whole.info, profile_image: '/media/new-320.jpg' },
    },
  });
  const user = await open();
  await user.upload(field('Выбрать фотографию'), png());
  expect(screen.getByText('Фотография появится после сохранения')).toBeTruthy();
  expect(document.querySelector('form img')?.getAttribute('src')).toMatch(/^blob:/);
  await user.type(field('Дом'), 'а');
  await user.click(save());
  expect(await screen.findByText('Сохранено')).toBeTruthy();
  const sent = log.filter((asked) => isChange(asked) || isPhoto(asked));
  expect(sent.map(({ method }) => method)).toEqual(['PATCH', 'POST']);
  expect(sent[1]?.body).toEqual({ profile_image: 'me.png' });
  const photos = [...document.querySelectorAll('img')].map((image) => image.getAttribute('src'));
  expect(photos).toEqual(['/media/new-320.jpg', '/media/new-320.jpg']);
});

test('a photo alone needs no whole address', async () => {
  const log = serve({
    ...routes,
    'GET /api/auth/profile/': profile,
    'POST /api/auth/profile/photo/': profile,
  });
  const user = await open();
  await user.upload(field('Выбрать фотографию'), png());
  await user.click(save());
  expect(await screen.findByText('Сохранено')).toBeTruthy();
  expect(log.some(isPhoto)).toBe(true);
  expect(log.some(isChange)).toBe(false);
});

test.each([
  ['another format', new File(['x'], 'me.gif', { type: 'image/gif' }), /PNG или JPEG$/],
  ['too large a file', png((10 << 20) + 1), 'Фотография больше 10 МБ'],
])('%s is refused before it is sent', async (_why, file, said) => {
  const log = serve(routes);
  await open();
  const input = field('Выбрать фотографию');
  Object.defineProperty(input, 'files', { value: [file] });
  act(() => void input.dispatchEvent(new Event('change', { bubbles: true })));
  expect(await screen.findByText(said)).toBeTruthy();
  expect(document.querySelector('form img')).toBeNull();
  expect(log.some(isPhoto)).toBe(false);
});

test('what the shop knows of one is given as a file', async () => {
  serve({ ...routes, 'GET /api/auth/profile/export/': { profile: whole } });
  const user = await open();
  let file: Blob | undefined;
  vi.spyOn(URL, 'createObjectURL').mockImplementation((made) => {
    file = made as Blob;
    return 'blob:export';
  });
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
  await user.click(screen.getByRole('button', { name: 'Скачать мои данные' }));
  await waitFor(() => expect(click).toHaveBeenCalledOnce());
  expect(click.mock.contexts[0]).toMatchObject({ download: 'account.json' });
  expect(JSON.parse((await file?.text()) ?? '')).toEqual({ profile: whole });
});

test('leaving says what goes and what stays, wants the password, and ends the session', async () => {
  let right = false;
  const log = serve({
    ...routes,
    'DELETE /api/auth/profile/': () =>
      right ? {} : { status: 400, body: { password: ['Неверный пароль'] } },
  });
  const user = await open();
  const leave = screen.getByRole('button', { name: 'Удалить аккаунт' });
  await user.click(leave);
  const dialog = within(screen.getByRole('dialog', { name: 'Удалить аккаунт?' }));
  expect(dialog.getByText(/^Заказы останутся в учёте магазина/)).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Остаться' }));
  expect(screen.queryByRole('dialog')).toBeNull();

  await user.click(leave);
  await user.click(dialog.getByRole('button', { name: 'Удалить навсегда' }));
  expect(await dialog.findByText('* Заполните поле')).toBeTruthy();
  expect(log.some(to('DELETE', '/api/auth/profile/'))).toBe(false);
  await user.type(dialog.getByLabelText('Пароль'), 'не тот');
  await user.click(dialog.getByRole('button', { name: 'Удалить навсегда' }));
  expect(await dialog.findByText('Неверный пароль')).toBeTruthy();
  expect(session.get()).not.toBeNull();

  right = true;
  await user.type(dialog.getByLabelText('Пароль'), '!');
  await user.click(dialog.getByRole('button', { name: 'Удалить навсегда' }));
  expect(await screen.findByText('at /')).toBeTruthy();
  expect(session.get()).toBeNull();
  expect(log.findLast(to('DELETE', '/api/auth/profile/'))?.body).toEqual({ password: 'не тот!' });
});
