// A promo code for the goods of one brand: staff make it, a shopper uses it, staff see what it brought and take it back.
import assert from 'node:assert/strict';
import { assertAccessible, assertNoSidewaysScroll, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { buy, cash, chooseCity, fillCheckout, send, signIn, signInStaff, until } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401.
// A code that was revoked is answered 404, a bad name of a group 400.
test.use({ intended: ['/api/staff/me', '/api/promocodes/BRAND', '/groups/'] });

for (const width of [390, 1280]) {
  test.describe(() => {
    test.use({ width });
    test(`a code for one brand lowers its goods alone, at ${width} px`, async ({ page, shop, another }) => {
      const code = `BRAND${width}`;
      const soap = await shop.product('DL-10031', 20);
      const other = await shop.product('DL-10120', 20);
      assert.notEqual(soap.brand.id, other.brand.id);
      await signInStaff(page, shop, `promo${width}@shop.example`, 'manager');
      await page.goto('/admin/promocodes');
      await page.getByRole('link', { name: 'New promo code' }).click();
      await page.getByLabel('Promo code', { exact: true }).fill(code);
      await page.getByLabel('Percent, 1 to 100').fill('50');
      await page.getByRole('group', { name: 'Brands' }).getByLabel(soap.brand.name, { exact: true }).check();
      await page.getByRole('textbox', { name: 'Why' }).fill('the week of the brand');
      await assertNoSidewaysScroll(page);
      await assertAccessible(page);
      await picture(page, `promocode-new-${width}`);
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.getByText(/^Codes that would change: 1/).waitFor();
      await page.getByRole('button', { name: 'Issue', exact: true }).click();
      await page.getByText(/^Done, codes: 1/).waitFor();

      // The shopper has goods of two brands, and pays half of one.
      const shopper = await another();
      await buy(shopper, soap);
      await buy(shopper, other);
      await shopper.goto('/checkout');
      await fillCheckout(shopper, `${code.toLowerCase()}@example.com`);
      await shopper.getByLabel('Промокод').fill(code);
      await shopper.getByText('Промокод принят').waitFor();
      await cash(shopper).check();
      const order = await send(shopper);

      // It is told in the list and on the code's page, whose report waits for nobody.
      await until('the order is in the report', async () => {
        const answer = await page.request.get(`/api/staff/promocodes/${code}/`);
        const sheet = await answer.json();
        return sheet.orders === 1 && sheet.discount === Math.floor(soap.discounted_price / 2);
      });
      assert.ok(order.number > 0);
      await page.goto('/admin/promocodes');
      await page.getByRole('link', { name: code }).first().waitFor();
      await assertNoSidewaysScroll(page);
      await assertAccessible(page);
      await picture(page, `promocodes-${width}`);
      await page.getByRole('link', { name: code }).first().click();
      await page.getByRole('heading', { level: 1, name: code }).waitFor();
      await page.getByText(soap.brand.name).first().waitFor();
      await assertNoSidewaysScroll(page);
      await assertAccessible(page);
      await picture(page, `promocode-${width}`);

      // Revoked, it is refused in the next basket.
      await page.getByRole('textbox', { name: 'Why' }).last().fill('the week is over');
      await page.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText(/^Done, codes: 1/).waitFor();
      await buy(shopper, soap);
      await shopper.goto('/checkout');
      await chooseCity(shopper);
      await shopper.getByLabel('Промокод').fill(code);
      await shopper.waitForFunction(() => document.querySelector('[name=promocode]').ariaInvalid === 'true');
    });
  });
}

test.describe(() => {
  test.use({ width: 390 });
  test('a customer comes into a group, is found by it and leaves it', async ({ page, shop, another }) => {
    const shopper = await another();
    const email = 'grouped@example.com';
    await signIn(shopper, email);
    await signInStaff(page, shop, 'grouping@shop.example', 'manager');
    await page.goto('/admin/customers');
    await page.getByRole('searchbox').fill(email);
    await until('the customer is found', async () => {
      await page.getByRole('button', { name: 'Find' }).click();
      return (await page.getByRole('link', { name: 'Айгерим Сейтова' }).count()) > 0;
    });
    await page.getByRole('link', { name: 'Айгерим Сейтова' }).first().click();
    await page.getByText('In no group').waitFor();
    await page.getByLabel('Add to a group').fill('a-b');
    await page.getByRole('button', { name: 'Add', exact: true }).first().click();
    await page.getByRole('alert').filter({ hasText: 'The name of a group' }).waitFor();
    await page.getByLabel('Add to a group').fill('VIP');
    await page.keyboard.press('Enter');
    const leave = page.getByRole('button', { name: 'Remove from the group: VIP' });
    await leave.waitFor();
    await assertNoSidewaysScroll(page);
    await assertAccessible(page);
    await picture(page, 'customer-groups');
    await page.goto('/admin/customers');
    await page.getByLabel('Group').selectOption('VIP');
    await page.getByText('Found: 1', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Айгерим Сейтова' }).click();
    await leave.click();
    await page.getByText('In no group').waitFor();
  });
});
