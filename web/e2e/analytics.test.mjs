import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { assertAccessible, assertNoSidewaysScroll, picture, tabTo } from './checks.mjs';
import { test } from './fixtures.mjs';
import { buy, signInStaff, staffSpeak } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401.
test.use({ intended: ['/api/staff/me'] });

const ways = (page) => page.getByRole('navigation', { name: 'Screens' });
const title = (page, name) => page.getByRole('heading', { name, level: 1, exact: true });

/** Signs in and goes to the analysts' page by the link that the operators' page has for who may. */
async function enter(page, shop, email) {
  await signInStaff(page, shop, email, 'analyst');
  await page.getByRole('link', { name: 'Analytics', exact: true }).click();
  await title(page, 'Overview').waitFor();
}

test('an analyst follows an order back in time and its goods to the stock', async ({ page, shop }) => {
  await enter(page, shop, 'aliya@shop.example');
  await ways(page).getByRole('link', { name: 'Orders' }).click();
  await page.getByLabel('Number, article or product').fill('100 003');
  await page.keyboard.press('Enter');
  await title(page, 'Order 100003').waitFor();
  await page.getByText('Proved', { exact: true }).waitFor();

  // With the keyboard alone to the beginning.
  await tabTo(page, page.getByRole('slider'));
  const last = Number(await page.getByRole('slider').getAttribute('max'));
  for (let version = last - 1; version >= 1; version--) {
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(`**/analytics/orders/100003?version=${version}`);
  }
  await page.getByRole('heading', { name: 'order.placed' }).waitFor();
  assert.ok((await page.getByRole('main').textContent()).includes('hidden from your role'));

  const { total_paid: total } = await shop.order(100003);
  const paid = await page.getByRole('row', { name: /^To pay/ }).textContent();
  assert.equal(paid.replaceAll(/\D/g, ''), String(total));

  await page.getByRole('region', { name: 'Lines' }).getByRole('link').first().click();
  await page.getByText('Adds up, gap 0').waitFor();
  await page.getByRole('link', { name: 'order 100003' }).first().click();
  await title(page, 'Order 100003').waitFor();
});

test('an analyst tries other rules on all of history', async ({ page, shop }) => {
  await enter(page, shop, 'berik@shop.example');
  await ways(page).getByRole('link', { name: 'What if' }).click();
  await page.getByLabel('Minimum order sum').fill('15000');
  await page.getByRole('button', { name: 'Remove tier 3' }).click();
  await page.getByRole('button', { name: 'Try these rules' }).click();
  await page.waitForURL('**/analytics/what-if/*');
  await page.getByText('Done', { exact: true }).waitFor();
  const lost = page.getByText(/would fall below the minimum sum/);
  const said = await lost.textContent();
  assert.match(said, /^[1-9]\d* orders? would fall/);
  // The link is all that it takes.
  await page.reload();
  await lost.waitFor();
  assert.equal(await lost.textContent(), said);
  await page.getByRole('link', { name: 'Try others, beginning with these' }).click();
  await page.waitForURL('**/analytics/what-if?from=*');
  assert.equal(await page.getByLabel('Minimum order sum').inputValue(), '15000');
  await page.getByRole('link', { name: /^Tiers .*Minimum 15,000/ }).waitFor();
});

test('an analyst reads the funnel and a report, and takes it along', async ({ page, shop, another }) => {
  const shopper = await another();
  await buy(shopper, await shop.product('DL-10016', 48));
  await shopper.goto('/basket');
  await shopper.getByRole('link', { name: 'Оформить заказ' }).waitFor();
  await enter(page, shop, 'dina@shop.example');
  await ways(page).getByRole('link', { name: 'Funnel' }).click();
  await page.getByRole('list', { name: 'Steps of the funnel' }).getByText('100.0 %').first().waitFor();

  await ways(page).getByRole('link', { name: 'Reports' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Sales', exact: true }).click();
  await page.getByLabel('By').selectOption('month');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.waitForURL('**/analytics/reports/sales?by=month');
  await page.getByRole('button', { name: 'Revenue', exact: true }).click();
  await page
    .getByRole('columnheader', { name: 'Revenue' })
    .and(page.locator('[aria-sort=descending]'))
    .waitFor();

  // The command line gives the same numbers at the same position.
  const line = await page.locator('code', { hasText: 'shop reports sales' }).textContent();
  const again = await shop.json(...line.split(' ').slice(1));
  const all = await page.getByRole('row', { name: /^In all/ }).textContent();
  assert.ok(
    all.replaceAll(/\D/g, '').includes(String(again.total.revenue)),
    `${all} holds ${again.total.revenue}`,
  );

  const coming = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  const file = await coming;
  assert.match(file.suggestedFilename(), /^sales-.*at-\d+\.csv$/);
  const rows = (await readFile(await file.path(), 'utf8')).trim().split('\n');
  assert.equal(rows.length - 1, await page.locator('tbody tr').count());

  await ways(page).getByRole('link', { name: 'Take away' }).click();
  const orders = page.getByRole('form', { name: 'Take orders away' });
  await orders.getByLabel('Format').selectOption('csv');
  const taking = page.waitForEvent('download');
  await orders.getByRole('button', { name: 'Download' }).click();
  const set = await readFile(await (await taking).path(), 'utf8');
  assert.ok(set.includes('100003'));
});

const screens = [
  ['', 'Overview'],
  ['/orders/100003?version=1', 'Order 100003'],
  ['/products?search=DL-10026', 'Products'],
  ['/rules', 'Rules'],
  ['/what-if', 'What if'],
  ['/funnel', 'Funnel'],
  ['/reports', 'Reports'],
  ['/reports/products', 'Products'],
  ['/take-away', 'Take away'],
];

for (const width of [360, 1280]) {
  test.describe(() => {
    test.use({ width });
    test(`every screen of the analysts' page at ${width} px`, async ({ page, shop }) => {
      await staffSpeak(page, 'en');
      await page.goto('/analytics');
      await title(page, 'Sign in').waitFor();
      await assertAccessible(page);
      await enter(page, shop, `an${width}@shop.example`);
      for (const [path, name] of screens) {
        await page.goto(`/analytics${path}`);
        await title(page, name).waitFor();
        await page.waitForFunction(
          () => !document.querySelector('main [role="status"][aria-label="Loading"]'),
        );
        await assertNoSidewaysScroll(page);
        await assertAccessible(page);
        await picture(page, `analytics${path.replaceAll(/\W+/g, '-')}`);
      }
    });
  });
}
