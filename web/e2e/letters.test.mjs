// What letters say, in Chromium: the desk at two widths, and an opening that is changed, looked at, sent and put back.
import assert from 'node:assert/strict';
import { assertAccessible, assertNoSidewaysScroll, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { buy, cash, fillCheckout, send, signInStaff } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401. Nothing runs in the frame of a sample.
test.use({ intended: ['/api/staff/me', '/api/staff/letters/texts/sheet/'] });

const sheet = (page) => page.frameLocator('iframe[title="Sample of the letter"]');

for (const width of [390, 1280]) {
  test.describe(() => {
    test.use({ width });
    test(`the texts of letters open at ${width} px`, async ({ page, shop }) => {
      await signInStaff(page, shop, `letters${width}@shop.example`, 'admin');
      await page.goto('/admin/content');
      await page.getByRole('link', { name: 'Order received' }).waitFor();
      await assertNoSidewaysScroll(page);
      await picture(page, 'letters');
      await page.goto('/admin/content/letters/order-placed');
      await sheet(page).getByRole('heading', { name: 'Заказ № 100321 принят' }).waitFor();
      // The letter has its own styles, which the office's page may not have.
      assert.equal(
        await sheet(page)
          .getByRole('heading')
          .evaluate((heading) => getComputedStyle(heading).fontSize),
        '30px',
      );
      await assertNoSidewaysScroll(page);
      // As in preview.test.mjs.
      await assertAccessible(page, { frames: false });
      await picture(page, 'letter-texts');
    });
  });
}

test('an opening is changed beside its sample, the next letter has it, and after the undo the own one', async ({
  page,
  shop,
  another,
}) => {
  await signInStaff(page, shop, 'words@shop.example', 'admin');
  await page.goto('/admin/content/letters/order-placed');
  const opening = page.getByRole('textbox', { name: 'First words', exact: true });
  await opening.fill('Как мы рады заказу ');
  await page.getByRole('button', { name: 'Insert {number} (number of the order): First words' }).click();
  await sheet(page).getByText('Как мы рады заказу 100321').waitFor();
  await opening.fill('Как мы рады, {nobody}');
  await page.getByText('This text has no {nobody}').waitFor();
  await opening.fill('Как мы рады заказу {number}!');
  await sheet(page).getByText('Как мы рады заказу 100321!').waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  const made = await page.getByRole('link', { name: 'Open the change' }).getAttribute('href');

  const guest = await another();
  const order = async (email) => {
    await buy(guest, await shop.product('DL-10016', 48));
    await guest.goto('/checkout');
    await fillCheckout(guest, email);
    await cash(guest).check();
    return send(guest);
  };
  const { number } = await order('words@example.kz');
  await shop.letter('words@example.kz', new RegExp(`Как мы рады заказу ${number}!`));

  await shop.run('changes', 'undo', made.split('/').at(-1));
  await order('own.words@example.kz');
  await shop.letter('own.words@example.kz', /Спасибо! Мы получили Ваш заказ\./);
  await page.reload();
  await page.getByRole('button', { name: /^As it was/ }).waitFor({ state: 'detached' });
  assert.equal(await opening.inputValue(), 'Спасибо! Мы получили Ваш заказ.');
});
