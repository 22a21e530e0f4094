// The shop as it was, in Chromium: a price, a category and the settings change; the grid and the settings page at the moment before show what
// there was, to be read alone; and the way back to now. A customer is shown without what was written later.
import assert from 'node:assert/strict';
import { assertAccessible, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { signInStaff } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401.
test.use({ intended: ['/api/staff/me'], alone: 'past' });

test('the grid and the settings are shown as they were', async ({ page, shop }) => {
  const [one] = await shop.json('catalog', 'list', '--article', 'DL-10001');
  const [other] = (await shop.json('catalog', 'list', '--limit', '200')).filter(
    ({ category }) => category !== one.category,
  );
  await shop.publishSettings({ phone: '+7 727 000 00 01' });
  const before = new Date().toISOString();
  await shop.publishSettings({ phone: '+7 727 000 00 02' });
  await shop.run('catalog', 'price', one.article, String(one.price + 1111));
  await shop.run('catalog', 'move', one.article, other.category);

  await signInStaff(page, shop, 'past@shop.example', 'admin');
  await page.goto(`/admin/products?query=${one.article}&at=${encodeURIComponent(before)}`);
  const row = page.getByRole('row', { name: new RegExp(one.article) });
  await row.getByRole('gridcell', { name: one.category.split(' > ').at(-1) }).waitFor();
  const spaced = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, '[\\s,]');
  await row
    .getByRole('gridcell', { name: new RegExp(`^${spaced(one.price)}`) })
    .first()
    .waitFor();
  await page.getByText('This is the past, which cannot be changed.').waitFor();
  assert.equal(
    await page.getByRole('checkbox', { name: 'Changed only' }).count(),
    0,
    'nothing is changed in the past',
  );
  await assertAccessible(page);
  await picture(page, 'past-grid');
  await page.getByRole('button', { name: 'Back to the present' }).click();
  await row
    .getByRole('gridcell', { name: new RegExp(`^${spaced(one.price + 1111)}`) })
    .first()
    .waitFor();
  await row.getByRole('gridcell', { name: other.category.split(' > ').at(-1) }).waitFor();

  await page.goto(`/admin/settings?at=${encodeURIComponent(before)}`);
  const phone = page.getByRole('textbox', { name: 'Phone' });
  await phone.waitFor();
  assert.equal(await phone.inputValue(), '+7 727 000 00 01');
  assert.ok(await phone.isDisabled(), 'it cannot be changed');
  assert.equal(await page.getByRole('button', { name: 'Publish' }).count(), 0);
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Back to the present' }).click();
  await page.getByRole('button', { name: 'Publish' }).waitFor();
  assert.equal(await phone.inputValue(), '+7 727 000 00 02');

  // Other screens of the past have nothing that changes anything.
  for (const path of [
    'content',
    'content/about',
    'content/offer',
    'blog',
    'promocodes',
    'orders',
    'categories',
    'brands',
    'marks',
  ]) {
    await page.goto(`/admin/${path}?at=${encodeURIComponent(before)}`);
    await page.getByText('This is the past, which cannot be changed.').waitFor();
    await page.waitForFunction(() => !document.querySelector('main [role="status"][aria-label="Loading"]'));
    assert.equal(await page.getByRole('alert').filter({ hasText: /./ }).count(), 0, path);
    assert.equal(
      await page.getByRole('button', { name: /^(Publish|Add|Edit|Archive|Restore)/ }).count(),
      0,
      path,
    );
    await assertAccessible(page);
  }

  // A screen without a past says so, below the header, on a phone too.
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`/admin/notices?at=${encodeURIComponent(before)}`);
  const line = page.getByText('This screen shows the present alone');
  await line.waitFor();
  const [said, header] = await Promise.all([
    line.boundingBox(),
    page.locator('header').first().boundingBox(),
  ]);
  assert.ok(said.y >= header.y + header.height, 'the line is below the header');
  await assertAccessible(page);
});

test('a customer and the list are shown as they were', async ({ page, shop }) => {
  const answer = await page.request.post('/api/auth/register/', {
    data: {
      first_name: 'Айгерим',
      last_name: 'Бұрынғы',
      phone: '87011234599',
      email: 'then@shop.example',
      password: 'a long walk home',
      password_check: 'a long walk home',
      consent: true,
    },
  });
  assert.ok(answer.ok(), await answer.text());
  const { id } = await answer.json();
  await signInStaff(page, shop, 'sees-then@shop.example', 'admin');
  await page.goto(`/admin/customers/${id}`);
  await page.getByRole('heading', { name: 'Айгерим Бұрынғы', level: 1 }).waitFor();
  const before = new Date().toISOString();
  await page.getByLabel('New note').fill('Звонить вечером');
  await page
    .locator('form')
    .filter({ has: page.getByLabel('New note') })
    .getByRole('button', { name: 'Add' })
    .click();
  await page.getByText('Звонить вечером').waitFor();

  await page.goto(`/admin/customers?at=${encodeURIComponent(before)}`);
  await page.getByText('This is the past, which cannot be changed.').waitFor();
  await assertAccessible(page);
  await page.getByRole('link', { name: 'Айгерим Бұрынғы' }).click();
  await page.getByRole('heading', { name: 'Айгерим Бұрынғы', level: 1 }).waitFor();
  await page.getByText('This is the past, which cannot be changed.').waitFor();
  assert.equal(await page.getByText('Звонить вечером').count(), 0, 'it was written later');
  assert.equal(await page.getByRole('button', { name: /^(Add|Adjust|Export|Propose)/ }).count(), 0);
  await assertAccessible(page);
  await picture(page, 'past-customer');
  await page.getByRole('button', { name: 'Back to the present' }).click();
  await page.getByText('Звонить вечером').waitFor();
});
