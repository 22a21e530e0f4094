import assert from 'node:assert/strict';
import { assertAccessible, assertNoSidewaysScroll, picture, tabTo } from './checks.mjs';
import { test } from './fixtures.mjs';
import { buy, cash, fillCheckout, join, send, signInStaff, staffSpeak } from './steps.mjs';

const live = (page) => page.getByRole('banner').getByText('Live', { exact: true });

// Who is signed in is asked before anybody is; the browser notes the 401.
test.use({ intended: ['/api/staff/me'] });

test('an operator joins, rebuilds a projection and sees it finish', async ({ page, shop }) => {
  await join(page, shop, 'dana@shop.example', 'operator');
  await live(page).waitFor();
  // With the keyboard alone.
  const press = async (target, key = 'Enter') => {
    await tabTo(page, target);
    await page.keyboard.press(key);
  };
  await press(page.getByRole('button', { name: 'Act on catalog' }));
  await press(page.getByRole('dialog').getByRole('button', { name: 'Rebuild' }));
  const asked = page.getByRole('dialog', { name: 'Rebuild catalog?' });
  await press(asked.getByLabel('Swap by itself when nothing differs'), 'Space');
  await press(asked.getByRole('button', { name: 'Rebuild' }));
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('navigation').getByRole('link', { name: 'Builds' }).click();
  await page.getByRole('link', { name: 'Rebuild of catalog' }).click();
  await page.getByRole('main').getByText('Done', { exact: true }).waitFor({ timeout: 30_000 });
  await page.getByText('Equal', { exact: true }).waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Projections' }).click();
  await page.getByRole('button', { name: 'Act on catalog' }).click();
  await page.getByRole('button', { name: 'Roll back' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('the log shows an order as it is placed', async ({ page, shop, another }) => {
  await signInStaff(page, shop, 'aru@shop.example', 'analyst');
  await page.getByRole('navigation').getByRole('link', { name: 'Log' }).click();
  await page.getByLabel('Type').fill('order.placed');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.waitForURL('**/ops/log?type=order.placed');
  const list = page.getByRole('list', { name: 'Events, newest first' });
  // Its position.
  const before = await list.getByRole('listitem').first().locator('summary span').first().textContent();
  await live(page).waitFor();

  const shopper = await another();
  await buy(shopper, await shop.product('DL-10016', 48));
  await shopper.goto('/checkout');
  await fillCheckout(shopper, 'erlan@example.kz');
  await cash(shopper).check();
  await send(shopper);

  const placed = list.getByRole('listitem').first();
  await placed.locator('summary').filter({ hasNotText: before }).waitFor();
  await placed.locator('summary').click();
  // An analyst sees no names.
  await placed.getByText('Personal data, hidden from your role.').waitFor();
  assert.ok(!(await placed.textContent()).includes('erlan@example.kz'));
  await placed.getByRole('link', { name: /^order-/ }).click();
  await page.waitForURL('**/ops/log?stream=order-*');
});

const screens = [
  ['projections', 'Projections'],
  ['builds', 'Builds'],
  ['dead-letters', 'Dead letters'],
  ['log', 'Log'],
  ['health', 'Health'],
];

for (const width of [360, 1280]) {
  test.describe(() => {
    test.use({ width });
    test(`every screen of the operators' page at ${width} px`, async ({ page, shop }) => {
      await staffSpeak(page, 'en');
      await page.goto('/ops');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await assertAccessible(page);
      await signInStaff(page, shop, `op${width}@shop.example`, 'operator');
      for (const [path, title] of screens) {
        await page.goto(`/ops/${path}`);
        await page.getByRole('heading', { name: title, level: 1 }).waitFor();
        await live(page).waitFor();
        await page.waitForFunction(
          () => !document.querySelector('main [role="status"][aria-label="Loading"]'),
        );
        await assertNoSidewaysScroll(page);
        await assertAccessible(page);
        await picture(page, `ops-${path}`);
      }
    });
  });
}

test('the pages of the staff speak Russian until another language is chosen, and remember it', async ({
  page,
}) => {
  const language = () => page.evaluate(() => document.documentElement.lang);
  await page.goto('/ops');
  await page.getByRole('heading', { name: 'Вход' }).waitFor();
  assert.equal(await language(), 'ru');
  await assertAccessible(page);
  await page.getByRole('textbox', { name: 'E-mail' }).fill('dana@shop.example');
  await page.getByRole('button', { name: 'Қаз' }).click();
  await page.getByRole('heading', { name: 'Кіру' }).waitFor();
  assert.equal(await language(), 'kk');
  // What was typed stays.
  assert.equal(await page.getByRole('textbox', { name: 'E-mail' }).inputValue(), 'dana@shop.example');
  await page.getByRole('button', { name: 'Eng' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await language(), 'en');
});
