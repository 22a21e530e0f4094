import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';

/** Opens a product's page and puts one piece into the basket. */
export async function buy(page, product) {
  await page.goto(`/product/${product.link}`);
  await page.getByRole('button', { name: 'Добавить в корзину' }).click();
  await page
    .getByRole('group', { name: `Количество: ${product.name}` })
    .first()
    .waitFor();
}

/** Waits until the server has rendered a page: the first visitor may get it without content. */
export async function rendered(page, path) {
  await until(`${path} is rendered`, async () =>
    (await (await page.request.get(path)).text()).includes('<h1'),
  );
}

/** Opens a rendered page whose modules come when they are let go, by what this returns. */
export async function openWithoutModules(page, path) {
  await rendered(page, path);
  let arrive;
  const late = new Promise((resolve) => {
    arrive = resolve;
  });
  await page.route('**/*.js', (route) => late.then(() => route.continue()));
  await page.goto(path, { waitUntil: 'commit' });
  return arrive;
}

/** Waits for something that the shop does on its own time. */
export async function until(what, is) {
  for (let tries = 0; !(await is()); tries++) {
    assert.ok(tries < 240, what);
    await new Promise((passed) => setTimeout(passed, 250));
  }
}

/** A sum as pages of the shop write it. */
export const tenge = (sum) => new Intl.NumberFormat('ru').format(sum).replace(/\s/g, '\u00a0');

/** The header says how many pieces are in the basket. */
export const basketIcon = (page, pieces) =>
  page.getByRole('banner').getByRole('link', { name: `Корзина, товаров: ${pieces}`, exact: true });

/** Types the beginning of the city and takes the first of the list with the keyboard. */
export async function chooseCity(page, typed = 'алма', city = 'Алматы') {
  const input = page.getByRole('combobox', { name: /Город/ });
  await input.focus();
  await page.keyboard.type(typed);
  await page
    .getByRole('option', { name: new RegExp(`^${city}`) })
    .first()
    .waitFor();
  // The answer to the last letter may renew the list and take the mark away between the two keys.
  const marked = page.getByRole('option', { name: new RegExp(`^${city}`), selected: true });
  for (let tries = 0; tries < 10 && (await input.inputValue()) !== city; tries++) {
    await page.keyboard.press('ArrowDown');
    if (await marked.count()) await page.keyboard.press('Enter');
  }
  assert.equal(await input.inputValue(), city);
}

/** Fills in what an order needs, but for the payment. */
export async function fillCheckout(page, email) {
  await chooseCity(page);
  await page.getByLabel('Улица').fill('проспект Абая');
  await page.getByLabel('Дом', { exact: true }).fill('10');
  await page.getByLabel('Имя').fill('Айгерим');
  await page.getByLabel('Фамилия').fill('Сейтова');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Телефон').pressSequentially('87011234567');
}

/** Sends an order that is paid in cash, and returns what the shop answered. */
export async function send(page) {
  const answered = page.waitForResponse('**/api/orders/');
  await page.getByRole('button', { name: 'Далее' }).click();
  const response = await answered;
  assert.equal(response.status(), 201, await response.text());
  return response.json();
}

/** Offered once the price counts Алматы. */
export const cash = (page) => page.getByRole('radio', { name: 'Наличными при получении' });

/** Registers a customer and has the browser remember them. */
export async function signIn(page, email) {
  const answer = await page.request.post('/api/auth/register/', {
    data: {
      first_name: 'Айгерим',
      last_name: 'Сейтова',
      phone: '87011234567',
      email,
      password: 'a long walk home',
      password_check: 'a long walk home',
      consent: true,
    },
  });
  assert.ok(answer.ok(), await answer.text());
  const { access, id } = await answer.json();
  await page.goto('/');
  await page.evaluate((session) => localStorage.setItem('dala.session', JSON.stringify(session)), {
    userId: id,
    token: access,
  });
}

/** The code that an authenticator shows at a moment (RFC 6238). */
function code(secret, now) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(now / 30_000)));
  const mac = createHmac('sha1', key).update(step).digest();
  const at = mac[19] & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** Has the pages of the staff speak a language, as if it had been chosen in this browser before. */
export const staffSpeak = (page, language) =>
  page.addInitScript((chosen) => {
    // Not in a frame without storage.
    if (location.protocol.startsWith('http')) localStorage.setItem('dala.staff.language', chosen);
  }, language);

/** The one-time link by which a new account chooses its password. */
async function invited(shop, email, role) {
  const said = await shop.run('staff', 'add', '--email', email, '--role', role);
  return said.match(/\/ops\/password#\S+/)[0];
}

/**
 * Gives the browser a session of a new account, by the calls that the pages of the sign-in make, and comes to the first screen of
 * its role, in English. The pages themselves are join's.
 */
export async function signInStaff(page, shop, email, role, first = 'Projections') {
  const password = 'a long walk home';
  const post = async (path, data, status) => {
    const answer = await page.request.post(path, { data });
    assert.equal(answer.status(), status, await answer.text());
    return answer;
  };
  const token = (await invited(shop, email, role)).split('#')[1];
  await post('/api/staff/password', { token, password }, 204);
  const { enrolment } = await (await post('/api/staff/session', { email, password, code: '' }, 202)).json();
  await post(
    '/api/staff/session',
    { email, password, code: code(enrolment.secret, Date.now() + shop.ahead) },
    201,
  );
  await staffSpeak(page, 'en');
  await page.goto('/ops');
  await page.getByRole('heading', { name: first, level: 1 }).waitFor();
}

/** Adds an account, chooses its password, enrols an authenticator and comes to the first screen of its role, in English, all by pages. */
export async function join(page, shop, email, role, first = 'Projections') {
  const link = await invited(shop, email, role);
  await staffSpeak(page, 'en');
  await page.goto(link);
  for (const label of ['New password', 'The same again'])
    await page.getByLabel(label).fill('a long walk home');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill('a long walk home');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('img', { name: 'QR code for the authenticator' }).waitFor();
  const shown = await page.locator('code').first().textContent();
  await page.getByLabel('Code of six digits').fill(code(shown.replaceAll(' ', ''), Date.now() + shop.ahead));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await page.getByRole('heading', { name: first, level: 1 }).waitFor();
}
