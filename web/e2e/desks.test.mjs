// The desks of the office: each opens at every width with a silent console, nothing sideways and nothing for axe to find,
// and does what it is there for.
import assert from 'node:assert/strict';
import { assertAccessible, assertNoSidewaysScroll, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { signInStaff } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401.
test.use({ intended: ['/api/staff/me'] });

const desks = [
  ['/admin/payments', 'Payments'],
  ['/admin/payments/reconciliation', "A day's reconciliation"],
  ['/admin/customers', 'Customers'],
  ['/admin/reviews', 'Reviews'],
  ['/admin/reviews/templates', 'Reply templates'],
  ['/admin/products', 'Products'],
  ['/admin/products/new', 'New product'],
  ['/admin/products/DL-10001', 'Гель для умывания «Ромашка и пантенол»'],
  ['/admin/categories', 'Categories'],
  ['/admin/brands', 'Brands'],
  ['/admin/marks', 'Marks'],
  ['/admin/stock', 'Stock'],
  ['/admin/changes', 'Changes'],
  ['/admin/changes/difference', 'Compare two moments'],
  ['/admin/settings', 'Shop settings'],
  ['/admin/waiting', 'Waiting lists'],
  ['/admin/packing', 'Packing'],
  ['/admin/deliveries', 'Deliveries'],
  ['/admin/deliveries/cash', "Couriers' cash"],
  ['/admin/notices', 'Notices'],
  ['/admin/staff', 'Staff'],
  ['/ops/security', 'Security'],
  ['/ops/health', 'Health'],
  ['/analytics/orders', 'Orders'],
];

/** Waits for a screen and for what it loads. */
async function shown(page, title) {
  await page.getByRole('heading', { name: title, level: 1, exact: true }).waitFor();
  await page.waitForFunction(() => !document.querySelector('main [role="status"][aria-label="Loading"]'));
}

/** Registers a customer with an account of their own. */
async function register(shop, email, phone, lastName = 'Касымова') {
  const response = await fetch(`${shop.origin}/api/auth/register/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      first_name: 'Динара',
      last_name: lastName,
      phone,
      email,
      password: 'a long walk home',
      password_check: 'a long walk home',
      consent: true,
    }),
  });
  const said = await response.json();
  assert.ok(response.ok, JSON.stringify(said));
  return said.id;
}

for (const width of [360, 1280]) {
  test.describe(() => {
    test.use({ width });
    test(`every desk of the office opens at ${width} px`, async ({ page, shop }) => {
      const id = await register(shop, `desks${width}@example.kz`, `8701555${String(width).padStart(4, '0')}`);
      await signInStaff(page, shop, `desks${width}@shop.example`, 'admin');
      for (const [path, title] of [...desks, [`/admin/customers/${id}`, 'Динара Касымова']]) {
        await page.goto(path);
        await shown(page, title);
        await assertNoSidewaysScroll(page);
        await assertAccessible(page);
        await picture(page, `desk-${path.replace(id, 'one').split('/').slice(1).join('-')}`);
        if (width !== 360) continue;
        for (const phone of [320, 390, width]) {
          await page.setViewportSize({ width: phone, height: 780 });
          await assertNoSidewaysScroll(page);
        }
      }
    });
  });
}

test('a customer is found by a phone in another spelling and gets bonuses with a reason', async ({
  page,
  shop,
}) => {
  await register(shop, 'spelled@example.kz', '87075550102');
  await signInStaff(page, shop, 'bonus@shop.example', 'admin');
  await page.goto('/admin/customers');
  await shown(page, 'Customers');
  await page.getByRole('searchbox', { name: 'Phone, e-mail or name' }).fill('+7 (707) 555-01-02');
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByText('Found: 1', { exact: true }).waitFor();
  assert.doesNotMatch(page.url().slice(shop.origin.length), /707|555.?01/, 'the phone is not in the address');
  await page.getByRole('link', { name: 'Динара Касымова' }).click();
  await shown(page, 'Динара Касымова');
  await page.getByRole('button', { name: 'Adjust bonuses' }).click();
  const asked = page.getByRole('dialog', { name: 'Adjust bonuses' });
  const give = asked.getByRole('button', { name: 'Give' });
  await asked.getByLabel('How many bonuses').fill('500');
  assert.ok(await give.isDisabled(), 'bonuses need a reason');
  await asked.getByLabel('Reason').fill('A late delivery');
  await assertAccessible(page);
  await picture(page, 'desk-bonuses', { fullPage: false });
  await give.click();
  const entry = page.getByRole('row', { name: /Adjusted by staff/ });
  await entry.getByText(/A late delivery/).waitFor();
  await entry.getByText('+500', { exact: false }).waitFor();
  await page.getByText(/^Balance 500/).waitFor();
});

test('letters typed right after Ctrl-K find a customer by a part of the name', async ({ page, shop }) => {
  const id = await register(shop, 'palette@example.kz', '87075550103', 'Касымовская');
  await signInStaff(page, shop, 'palette@shop.example', 'admin');
  await page.goto('/admin/categories');
  await shown(page, 'Categories');
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('palette')),
  );
  await page.waitForLoadState('networkidle');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('ымовск');
  const field = page.getByRole('combobox', { name: /^Screen, action/ });
  await field.waitFor();
  assert.equal(await field.inputValue(), 'ымовск');
  await page.getByRole('option', { name: /Касымовская/ }).click();
  await page.waitForURL(`**/admin/customers/${id}`);
});

test('a review is answered from a template, and the shoppers read the reply', async ({ page, shop }) => {
  await signInStaff(page, shop, 'replies@shop.example', 'admin');
  await page.goto('/admin/reviews/templates');
  await shown(page, 'Reply templates');
  await page.getByLabel('Name').fill('Thanks');
  await page.getByLabel('Text').fill('{name}, thank you for writing to us!');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Remove the template “Thanks”' }).waitFor();

  await page.goto('/admin/reviews?state=shown&unanswered=yes');
  await shown(page, 'Reviews');
  const card = page.getByRole('list', { name: 'Reviews' }).getByRole('article').first();
  const name = await card.getAttribute('aria-label');
  const product = await card.getByRole('link').filter({ hasNotText: 'Order' }).last().getAttribute('href');
  await card.getByRole('button', { name: 'Reply' }).click();
  const asked = page.getByRole('dialog', { name: /^Reply to/ });
  assert.ok(await asked.getByRole('button', { name: 'Take the reply away' }).isDisabled());
  await asked.getByLabel('Template').selectOption('Thanks');
  const reply = await asked.getByLabel('Reply of the shop').inputValue();
  assert.match(reply, /^[^{}]+, thank you for writing to us!$/);
  await assertAccessible(page);
  await picture(page, 'desk-reply', { fullPage: false });
  await asked.getByRole('button', { name: 'Publish' }).click();
  await asked.waitFor({ state: 'detached' });
  // It has left the list of those without a reply.
  await page.getByRole('article', { name, exact: true }).waitFor({ state: 'detached' });
  await page.goto(product);
  await page.getByText(reply).first().waitFor({ state: 'attached' });
});
