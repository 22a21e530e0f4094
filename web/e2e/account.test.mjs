// Customers and their accounts, in Chromium, with the built program's real letters.
import assert from 'node:assert/strict';
import { assertAccessible, look, picture, tabTo } from './checks.mjs';
import { test } from './fixtures.mjs';
import { buy, cash, chooseCity, fillCheckout, signIn as register, send } from './steps.mjs';

/** The customer whom the demo brings along. */
const demo = { email: 'demo@dala.example', password: 'demo-dala-2026' };

const heading = (page, name) => page.getByRole('heading', { level: 1, name }).waitFor();

async function signIn(page, { email, password }) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Пароль', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Войти' }).click();
}

test.describe(() => {
  test.use({ intended: ['/api/orders/'] });
  test('from a guest\u2019s order to an account', async ({ page, shop }) => {
    const email = 'aigerim@example.com';

    // A guest orders; the letter's link shows the order without an account.
    await buy(page, await shop.product('DL-10016', 48));
    await page.goto('/checkout');
    await fillCheckout(page, email);
    await cash(page).check();
    const placed = await send(page);
    const [link] = await shop.letter(email, /\/order\/[0-9a-f-]{36}#[\w-]+/);
    await page.goto(link);
    await heading(page, `Заказ № ${placed.number}`);
    await page.getByRole('button', { name: 'Отменить заказ' }).waitFor();
    await look(page, 'order of a guest');
    await page.goto(link.replace(/#.*/, '#guessed'));
    await heading(page, 'Упс. Мы не нашли такую страницу');

    // Account pages lead a guest to the sign-in, and from there to a new account and back.
    await page.goto('/account/orders');
    await heading(page, 'Вход');
    await page.getByRole('main').getByRole('link', { name: 'Зарегистрироваться' }).click();
    await heading(page, 'Регистрация');
    await page.getByLabel('Имя').fill('Айгерим');
    await page.getByLabel('Фамилия').fill('Сейтова');
    await page.getByLabel('Телефон').pressSequentially('87011234567');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Пароль', { exact: true }).fill('первый пароль');
    await page.getByLabel('Повторите пароль', { exact: true }).fill('первый пароль');
    await page.getByRole('checkbox', { name: /Согласен/ }).check();
    await page.getByRole('button', { name: 'Создать аккаунт' }).click();
    await page.waitForURL('**/account/orders');
    await page.getByText('Заказов пока нет').waitFor();

    // The mailed link proves the e-mail; the guest's order then joins the account.
    await page.getByRole('link', { name: 'Личные данные' }).click();
    await page.getByText(/^Подтвердите e-mail/).waitFor();
    const [proof] = await shop.letter(email, /\/verify-email#[\w-]+/);
    await page.goto(proof);
    await heading(page, 'E-mail подтверждён');
    assert.equal(new URL(page.url()).hash, '', 'the token does not stay in the address');
    await assertAccessible(page);
    await picture(page, 'verify-email');
    await page.getByRole('link', { name: 'Мои заказы' }).click();
    const more = page.getByRole('link', { name: `Смотреть подробнее: заказ № ${placed.number}` });
    for (let tries = 0; tries < 20 && !(await more.isVisible()); tries++) {
      await page.waitForTimeout(250);
      await page.reload();
      await heading(page, 'Мои заказы');
    }
    await more.click();
    await heading(page, `Заказ № ${placed.number}`);
    await page.getByText('Почему столько?').click();
    await look(page, 'account order');

    // One's own order can be given up while nobody has approved it.
    await page.getByRole('button', { name: 'Отменить заказ' }).click();
    const dialog = page.getByRole('dialog', { name: `Отменить заказ № ${placed.number}?` });
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Отменить заказ' }).click();
    await page.getByText('Заказ отменен').waitFor();
    assert.equal((await shop.order(placed.number)).status, 'CANCELLED');

    await page.getByRole('button', { name: 'Выйти' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await page.getByRole('banner').getByRole('link', { name: 'Личный кабинет' }).click();
    await heading(page, 'Вход');
  });
});

test('another password, by the code that is mailed', async ({ page, shop }) => {
  const email = 'madina@example.com';
  await register(page, email);
  await page.goto('/account/info');
  await page.getByRole('button', { name: 'Выйти' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await page.goto('/login');
  await page.getByRole('link', { name: 'Забыли пароль?' }).click();
  await heading(page, 'Восстановление пароля');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Отправить код' }).click();
  await page.getByLabel('Код из письма').waitFor();
  const [, code] = await shop.letter(email, /^\s*(\d{6})\s*$/m);
  await page.getByLabel('Код из письма').fill(code);
  await page.getByLabel('Новый пароль', { exact: true }).fill('второй пароль');
  await page.getByLabel('Повторите пароль', { exact: true }).fill('второй пароль');
  await look(page, 'reset-password code');
  await page.getByRole('button', { name: 'Сменить пароль' }).click();
  await page.getByText('Пароль изменён. Войдите с новым паролем.').waitFor();
  await signIn(page, { email, password: 'второй пароль' });
  await heading(page, 'Личные данные');
});

test.describe(() => {
  test.use({ intended: ['/api/auth/email/verify/'] });
  test('another e-mail: with the password, cancelled, changed and taken back', async ({ page, shop }) => {
    const email = 'zhanna@example.com';
    const password = 'zhannas password';
    await page.goto('/registration');
    await page.getByLabel('Имя').fill('Жанна');
    await page.getByLabel('Фамилия').fill('Ахметова');
    await page.getByLabel('Телефон').pressSequentially('87011234567');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Пароль', { exact: true }).fill(password);
    await page.getByLabel('Повторите пароль', { exact: true }).fill(password);
    await page.getByRole('checkbox', { name: /Согласен/ }).check();
    await page.getByRole('button', { name: 'Создать аккаунт' }).click();
    await heading(page, 'Личные данные');
    const link = (to, path) => shop.letter(to, new RegExp(`/${path}#[\\w-]+`));

    // Without a sign-in the letter of the registration asks for a password.
    const [proof] = await link(email, 'verify-email');
    await page.getByRole('button', { name: 'Выйти' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await page.goto(proof);
    await page.getByLabel('Новый пароль', { exact: true }).fill(password);
    await page.getByLabel('Повторите пароль', { exact: true }).fill(password);
    await look(page, 'verify-email password');
    await page.getByRole('button', { name: 'Подтвердить e-mail' }).click();
    await page.getByText('Пароль изменён. Войдите с новым паролем.').waitFor();
    await signIn(page, { email, password });
    await heading(page, 'Личные данные');

    // Nothing is saved while a field of the address is empty.
    await chooseCity(page);
    for (const label of ['Улица', 'Дом', 'Этаж', 'Квартира', 'Подъезд'])
      await page.getByLabel(label, { exact: true }).fill('1');
    await page.getByRole('button', { name: 'Сохранить' }).click();
    await page.getByText('Сохранено').waitFor();

    const ask = async (wanted) => {
      await page.goto('/account/info');
      await page.getByLabel('E-mail', { exact: true }).fill(wanted);
      await page.getByLabel('Текущий пароль', { exact: true }).fill(password);
      await look(page, 'account e-mail');
      await page.getByRole('button', { name: 'Сохранить' }).click();
      await page.getByText('Сохранено').waitFor();
    };
    await ask('first@example.com');
    const [cancel] = await link(email, 'cancel-email');
    await page.goto(cancel);
    await heading(page, 'Отмена смены e-mail');
    assert.equal(new URL(page.url()).hash, '', 'the token does not stay in the address');
    await look(page, 'cancel-email');
    await page.getByRole('button', { name: 'Отменить смену e-mail' }).click();
    await heading(page, 'Смена e-mail отменена');
    await assertAccessible(page);

    await ask('second@example.com');
    const [change] = await link('second@example.com', 'verify-email');
    await page.goto(change);
    await heading(page, 'E-mail подтверждён');
    const [back] = await link(email, 'take-back-email');
    await page.goto(back);
    await page.getByLabel('Новый пароль', { exact: true }).fill('third password');
    await page.getByLabel('Повторите пароль', { exact: true }).fill('third password');
    await look(page, 'take-back-email');
    await page.getByRole('button', { name: 'Вернуть e-mail' }).click();
    await page.getByText('Пароль изменён. Войдите с новым паролем.').waitFor();
    await signIn(page, { email, password: 'third password' });
    await heading(page, 'Личные данные');
  });
});

test.describe(() => {
  test.use({ intended: ['/api/token/'] });
  test('a wrong password is said, and stays marked', async ({ page }) => {
    await page.goto('/login?next=%2Fcheckout');
    await signIn(page, { ...demo, password: 'not this one' });
    const said = page.getByText('Неверный e-mail или пароль');
    await said.waitFor();
    await page.waitForFunction(() =>
      [...document.querySelectorAll('[role="alert"]')].every(
        (alert) => getComputedStyle(alert).opacity === '0' || !alert.textContent,
      ),
    );
    assert.equal(await page.getByLabel('Пароль', { exact: true }).getAttribute('aria-invalid'), 'true');
    await assertAccessible(page);
  });
});

test('the account by keyboard alone', async ({ page }) => {
  await page.goto('/login?next=%2Faccount%2Finfo');
  await tabTo(page, page.getByLabel('E-mail'));
  await page.keyboard.type(demo.email);
  await tabTo(page, page.getByLabel('Пароль', { exact: true }));
  await page.keyboard.type(demo.password);
  await page.keyboard.press('Enter');
  await heading(page, 'Личные данные');
  await tabTo(page, page.getByRole('link', { name: 'Мои заказы' }));
  await page.keyboard.press('Enter');
  await heading(page, 'Мои заказы');
  await tabTo(page, page.getByRole('button', { name: 'Активные заказы' }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Выйти' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === '/');
});

for (const { at, title } of [
  { at: 'login', title: 'Вход' },
  { at: 'registration', title: 'Регистрация' },
  { at: 'reset-password', title: 'Восстановление пароля' },
]) {
  test(`page: ${at}`, async ({ page }) => {
    await page.goto(`/${at}`);
    await heading(page, title);
    await page.waitForLoadState('networkidle');
    await look(page, at);
  });
}

for (const { at, title } of [
  { at: 'bonuses', title: 'Бонусная система' },
  { at: 'info', title: 'Личные данные' },
  { at: 'orders', title: 'Мои заказы' },
  { at: 'waiting', title: 'Жду поступления' },
]) {
  test(`account page: ${at}`, async ({ page }) => {
    await page.goto(`/account/${at}`);
    await signIn(page, demo);
    await heading(page, title);
    await page.waitForLoadState('networkidle');
    await look(page, `account ${at}`);
  });
}

test('a photo, one\u2019s own data, and leaving', async ({ page }) => {
  // A photo is previewed, sent with the next save and shown in the panel.
  await page.goto('/account/info');
  await signIn(page, demo);
  await page.getByRole('button', { name: 'Выбрать фотографию' }).waitFor();
  const png = await page.screenshot({ clip: { x: 0, y: 0, width: 64, height: 64 } });
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: png });
  await page.getByText('Фотография появится после сохранения').waitFor();
  await page.getByRole('button', { name: 'Сохранить' }).click();
  await page.getByText('Сохранено').waitFor();
  await page.locator('section[aria-label="Личный кабинет"] img').waitFor();

  // What the shop knows is a file to keep.
  const file = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Скачать мои данные' }).click();
  assert.equal((await file).suggestedFilename(), 'account.json');

  // Leaving is explained before the password is asked for.
  await page.getByRole('button', { name: 'Удалить аккаунт' }).click();
  await page.getByRole('dialog', { name: 'Удалить аккаунт?' }).waitFor();
  await look(page, 'account leave', false);
});
