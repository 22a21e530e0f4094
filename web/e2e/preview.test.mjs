// A price that waits for a second person, looked at on the pages of the shop before anybody else sees it.
import assert from 'node:assert/strict';
import { assertAccessible, assertNoSidewaysScroll, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { signInStaff, tenge } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401.
// No script may run in the frame of a preview: the browser notes that axe and traces try to.
test.use({ intended: ['/api/staff/me', '/preview/?'] });

for (const width of [390, 1280]) {
  test.describe(() => {
    test.use({ width });
    test(`a price is looked at on the pages of the shop before it holds, at ${width} px`, async ({
      page,
      shop,
      another,
    }) => {
      const cream = await shop.product(width === 390 ? 'DL-10031' : 'DL-10033', 20);
      const cut = cream.price - 1234;
      await signInStaff(page, shop, `keeper${width}@shop.example`, 'catalog', 'Today');
      await page.goto(`/admin/products/${cream.article}`);
      const price = page.getByRole('textbox', { name: /^Discounted/ });
      await price.fill(String(cut));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('It waits for a second person').waitFor();
      await page.getByRole('link', { name: 'Preview' }).click();

      // The product's page with the new price, as it would be.
      const frame = page.frameLocator('iframe');
      await frame.getByRole('heading', { level: 1, name: cream.name }).waitFor();
      await frame.getByText(tenge(cut)).first().waitFor();
      await page
        .getByText(/^Preview of the change/)
        .first()
        .waitFor();
      assert.equal(await frame.locator('script').count(), 0, 'the preview has scripts');
      await assertNoSidewaysScroll(page);
      // Axe cannot run in a frame without scripts, and would wait half a minute for it.
      await assertAccessible(page, { frames: false });
      await picture(page, `preview-product-${width}`);

      // Links lead on in it: to the category, which has the new price too.
      await frame.getByRole('link', { name: cream.category.name }).first().click();
      await page.getByText(`/category/${cream.category.link}`).waitFor();
      const card = frame.getByRole('listitem').filter({ hasText: cream.name }).first();
      await card.waitFor();
      await card.getByText(tenge(cut)).waitFor();

      // On a phone, in Kazakh, the home page.
      await page.getByLabel('Width').selectOption('Phone');
      await page.getByLabel('Language of the page').selectOption('Қазақша');
      await page.getByRole('combobox', { name: /^Page/ }).selectOption('Home');
      await frame.locator('html[lang=kk]').waitFor({ state: 'attached' });
      assert.equal(await page.locator('iframe').evaluate((element) => element.clientWidth), 390);
      await picture(page, `preview-phone-${width}`);

      // Shoppers see what they saw, and nobody without a session sees the preview.
      const shopper = await another();
      await shopper.goto(`${shop.origin}/product/${cream.link}`);
      await shopper.getByText(tenge(cream.discounted_price)).first().waitFor();
      assert.equal(await shopper.getByText(tenge(cut)).count(), 0);
      const address = await page.locator('iframe').getAttribute('src');
      assert.equal((await shopper.request.get(shop.origin + address)).status(), 401);
      assert.equal((await shop.product(cream.article)).discounted_price, cream.discounted_price);
    });
  });
}
