// Sessions and passkeys of customers and staff, in Chromium with a virtual authenticator.
import assert from 'node:assert/strict';
import { look, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { join } from './steps.mjs';

test.use({ named: true });

/** Gives a page an authenticator that knows its user. */
async function withAuthenticator(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

const demo = { email: 'demo@dala.example', password: 'demo-dala-2026' };

async function signIn(page, password = demo.password) {
  await page.goto('/login');
  await page.getByLabel('E-mail').fill(demo.email);
  await page.getByLabel('Пароль', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Войти', exact: true }).click();
  await page.waitForURL('**/account/info');
}

const stored = (page) => page.evaluate(() => JSON.parse(localStorage.getItem('dala.session')).token);

test.describe(() => {
  test.use({ intended: ['/api/auth/profile/', '/api/token/passkey/'] });
  test('a customer ends a sign-in elsewhere, changes the password, and signs in with a passkey', async ({
    page,
    another,
    shop,
  }) => {
    await signIn(page);
    const elsewhere = await another();
    await signIn(elsewhere);

    // What a script could read out of the browser is no sign-in by itself.
    const ask = (token) =>
      fetch(`${shop.origin}/api/auth/profile/`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal((await ask(await stored(page))).status, 401, 'the token without its browser');

    await page.getByRole('link', { name: 'Безопасность' }).click();
    const sessions = page.getByRole('region', { name: 'Где выполнен вход' });
    await sessions.getByText('Это устройство').waitFor();
    const others = sessions.getByRole('button', { name: /^Завершить вход: Chrome, Linux/ });
    await others.first().waitFor();
    await look(page, 'account-security');
    await page.setViewportSize({ width: 390, height: 844 });
    await picture(page, 'account-security');
    await page.setViewportSize({ width: 1280, height: 900 });
    await sessions.getByRole('button', { name: 'Завершить все другие входы' }).click();
    await others.first().waitFor({ state: 'detached' });
    await elsewhere.goto('/account/info');
    await elsewhere.waitForURL('**/login**');

    await page.getByLabel('Текущий пароль', { exact: true }).fill(demo.password);
    await page.getByLabel('Новый пароль', { exact: true }).fill('кофе на верхней полке');
    await page.getByLabel('Повторите новый пароль', { exact: true }).fill('кофе на верхней полке');
    await page.getByRole('button', { name: 'Сменить пароль' }).click();
    await page.getByText('Пароль изменён').waitFor();

    const { cdp, authenticatorId } = await withAuthenticator(page);
    const passkeys = page.getByRole('region', { name: 'Ключи доступа' });
    await passkeys.getByRole('button', { name: 'Добавить ключ доступа' }).click();
    const dialog = page.getByRole('dialog', { name: 'Добавить ключ доступа' });
    await dialog.getByLabel('Название').fill('Мой телефон');
    await dialog.getByLabel('Текущий пароль', { exact: true }).fill('not it at all');
    await dialog.getByRole('button', { name: 'Продолжить' }).click();
    await dialog.getByText('Неверный пароль').waitFor();
    await dialog.getByLabel('Текущий пароль', { exact: true }).fill('кофе на верхней полке');
    await picture(page, 'account-passkey', { fullPage: false });
    await dialog.getByRole('button', { name: 'Продолжить' }).click();
    await passkeys.getByText('Мой телефон').waitFor();

    await page.getByRole('button', { name: 'Выйти' }).click();
    await page.waitForURL(`${shop.origin}/`);
    await page.goto('/login');
    await picture(page, 'login-passkey');
    await page.getByRole('button', { name: 'Войти с ключом доступа' }).click();
    await page.waitForURL('**/account/info');

    // An authenticator whose counter went back may be a copy.
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    await cdp.send('WebAuthn.removeCredential', {
      authenticatorId,
      credentialId: credentials[0].credentialId,
    });
    await cdp.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credentials[0], signCount: 0 },
    });
    await page.getByRole('button', { name: 'Выйти' }).click();
    await page.waitForURL(`${shop.origin}/`);
    await page.goto('/login');
    await page.getByRole('button', { name: 'Войти с ключом доступа' }).click();
    await page.getByText(/Счётчик ключа доступа не вырос/).waitFor();

    // A removed passkey signs nobody in.
    await signIn(page, 'кофе на верхней полке');
    await page.getByRole('link', { name: 'Безопасность' }).click();
    await page.getByRole('button', { name: 'Удалить ключ: Мой телефон' }).click();
    await page.getByText('Мой телефон').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Выйти' }).click();
    await page.waitForURL(`${shop.origin}/`);
    await page.goto('/login');
    await page.getByRole('button', { name: 'Войти с ключом доступа' }).click();
    await page.getByText('Такого ключа доступа здесь нет').waitFor();
  });
});

test.describe(() => {
  test.use({ intended: ['/api/staff/'] });
  test('staff look after their account, sign in with a passkey and show it again', async ({ page, shop }) => {
    await join(page, shop, 'dana@shop.example', 'admin');
    await withAuthenticator(page);
    await page.getByRole('link', { name: 'dana@shop.example' }).click();
    await page.getByRole('heading', { level: 1, name: 'My account' }).waitFor();
    await page.getByLabel('Name of the passkey').fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Remove the passkey: Laptop' }).waitFor();
    await look(page, 'staff-account');
    await page.setViewportSize({ width: 390, height: 844 });
    await picture(page, 'staff-account');
    await page.setViewportSize({ width: 1280, height: 900 });

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { level: 1, name: 'My account' }).waitFor();

    // As if the second factor had been shown long ago.
    let refused = false;
    await page.route('**/api/staff/me/recovery-codes/', (route) => {
      if (refused) return route.continue();
      refused = true;
      return route.fulfill({
        status: 403,
        json: { detail: 'Enter a code of your authenticator again.', code: 'step-up-required' },
      });
    });
    await page.getByRole('button', { name: 'Get new recovery codes' }).click();
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
    await picture(page, 'staff-step-up', { fullPage: false });
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
    await page.getByRole('list', { name: 'Recovery codes' }).waitFor();
  });
});
