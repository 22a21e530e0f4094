// The menus that staff keep, in Chromium: edited in the office, looked at before they are published, and read by shoppers.
import assert from 'node:assert/strict';
import { assertAccessible, assertNoSidewaysScroll, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { signInStaff, until } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401. Nothing runs in the frame of a preview.
test.use({ intended: ['/api/staff/me', '/preview/'] });

const hrefs = (links) => links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));

test('a menu is edited, looked at first, published, read in both languages, and put back', async ({
  page,
  shop,
  another,
}) => {
  const menuOf = async () => (await shop.get('/api/shop/')).menu;
  // The first settings that are published stay; what changes them later can be undone.
  await shop.publishSettings({});
  const before = await menuOf();
  await signInStaff(page, shop, 'menus@shop.example', 'admin');
  await page.goto('/admin/settings');
  await page.getByRole('button', { name: 'Remove: Menu of the header, 1' }).click();
  await page.getByRole('button', { name: 'Menu of the header: add an entry' }).click();
  const added = page.getByRole('group', { name: `Menu of the header, ${before.length}` });
  await added.getByLabel('Entry, in Russian').fill('Подарки');
  await added.getByLabel('Entry, in Kazakh').fill('Сыйлықтар');
  await added.getByLabel('Address').fill('/brands');
  await page.getByRole('button', { name: `Up: Menu of the header, ${before.length}` }).click();
  await picture(page, 'menus');
  await assertNoSidewaysScroll(page);
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Look first' }).click();
  await page
    .frameLocator('iframe')
    .first()
    .getByRole('banner')
    .getByRole('link', { name: 'Подарки' })
    .waitFor();
  assert.deepEqual(await menuOf(), before);
  const [{ id }] = await shop.json('changes', 'list', '--limit', '1');
  await page.goto(`/admin/changes/${id}`);
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply', exact: true }).click();
  await until('the menu is published', async () => (await menuOf()).some(({ text }) => text === 'Подарки'));

  const shopper = await another();
  await shopper.goto('/about');
  const header = shopper.getByRole('banner').getByRole('navigation');
  await header.getByRole('link', { name: 'Подарки' }).waitFor();
  const now = await menuOf();
  assert.deepEqual(
    await hrefs(header.getByRole('link')),
    now.map(({ address }) => address),
  );
  await picture(shopper, 'menu');
  await shopper.setViewportSize({ width: 390, height: 780 });
  await shopper.getByRole('button', { name: 'Открыть меню' }).click();
  await shopper.getByRole('dialog').getByRole('link', { name: 'Подарки' }).waitFor();
  await picture(shopper, 'menu', { fullPage: false });
  await shopper.getByRole('dialog').getByRole('link', { name: 'Подарки' }).click();
  await shopper.waitForURL('**/brands');

  await shop.run('changes', 'undo', id);
  await until('the menu is as it was', async () => (await menuOf())[0].address === before[0].address);
});
