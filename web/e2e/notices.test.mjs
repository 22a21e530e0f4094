import assert from 'node:assert/strict';
import { look, tabTo } from './checks.mjs';
import { test } from './fixtures.mjs';
import { buy, cash, fillCheckout, send, signInStaff, until } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401. A private address is refused with a 400.
test.use({ intended: ['/api/staff/me', '/api/staff/notices/webhooks'] });

test('a new order comes to Today by itself, and to the mailbox of who wants it', async ({
  page,
  shop,
  another,
}) => {
  const email = 'told@shop.example';
  await signInStaff(page, shop, email, 'manager');
  await page.goto('/admin/notices');
  await page.getByRole('heading', { name: 'Notices', level: 1 }).waitFor();
  // With the keyboard alone.
  await tabTo(page, page.getByRole('checkbox', { name: 'New order, mail' }));
  await page.keyboard.press('Space');
  await tabTo(page, page.getByLabel('Language of notices'));
  await page.getByLabel('Language of notices').selectOption('en');
  await tabTo(page, page.getByRole('button', { name: 'Save' }));
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  assert.ok(await page.getByRole('checkbox', { name: 'New order, mail' }).isChecked());

  const counted = page.waitForResponse('**/api/staff/today/');
  await page.goto('/admin');
  const { waits } = await (await counted).json();
  const before = waits.find(({ code }) => code === 'to_confirm')?.count ?? 0;
  const shopper = await another();
  await buy(shopper, await shop.product('DL-10016', 48));
  await shopper.goto('/checkout');
  await fillCheckout(shopper, 'notices@example.kz');
  await cash(shopper).check();
  const { number } = await send(shopper);

  await page
    .getByRole('main')
    .getByRole('link', { name: new RegExp(`^${before + 1} To confirm$`) })
    .waitFor({ timeout: 30_000 });
  await until('the letter comes', async () =>
    (await shop.letters(email)).some((text) => text.includes(`Order ${number}`)),
  );
  const [letter] = (await shop.letters(email)).filter((text) => text.includes(`Order ${number}`));
  assert.ok(
    letter.includes('New order') && !letter.includes('notices@example.kz') && !letter.includes('Сейтова'),
  );
});

test('an admin adds a webhook; one of a private network is refused beside its field', async ({
  page,
  shop,
}) => {
  await signInStaff(page, shop, 'hooks@shop.example', 'admin');
  await page.goto('/admin/notices');
  await page.getByText('There are no webhooks').waitFor();
  await look(page, 'notices');
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  const form = page.getByRole('form', { name: 'Add a webhook' });
  await form.getByLabel('Name').fill('CRM');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Fill in the field').first().waitFor();
  await form.getByLabel('Address').fill('https://192.168.0.10/in');
  await form.getByLabel('Secret of the signature').fill('a-secret-of-sixteen');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('The address must be public.').waitFor();
  await look(page, 'notices-webhook');
  await form.getByLabel('Address').fill('https://crm.example/in');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('crm.example').waitFor();
  assert.ok(!(await page.getByRole('main').textContent()).includes('/in'));
  await page.getByRole('button', { name: 'Remove: CRM' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('There are no webhooks').waitFor();
});
