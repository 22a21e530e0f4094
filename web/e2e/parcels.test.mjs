import assert from 'node:assert/strict';
import { assertAccessible, assertNoSidewaysScroll, look, picture, tabTo } from './checks.mjs';
import { test } from './fixtures.mjs';
import { buy, cash, fillCheckout, send, signInStaff } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401.
test.use({ intended: ['/api/staff/me'] });

test('an order is packed with the scanner and a courier takes the cash at the door', async ({
  page,
  shop,
  another,
}) => {
  const product = await shop.product('DL-10016', 48);
  await buy(page, product);
  await page.goto('/checkout');
  await fillCheckout(page, 'parcels@example.kz');
  await cash(page).check();
  const { number } = await send(page);
  await shop.run('orders', 'approve', String(number));

  const keeper = await another();
  await signInStaff(keeper, shop, 'keeper@shop.example', 'warehouse', 'Today');
  await keeper.goto('/admin/packing?day=2099-12-31');
  await tabTo(keeper, keeper.getByRole('button', { name: `Pack: Order ${number}` }), 'Tab', 400);
  await keeper.keyboard.press('Enter');
  // The scanner types into the field that has the focus, and presses Enter.
  const scan = async (code) => {
    await keeper.keyboard.type(code);
    await keeper.keyboard.press('Enter');
  };
  await keeper.getByLabel('Scan or type an article').waitFor();
  await keeper.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
  await scan('WRONG-1');
  await keeper.getByText('Not in the order: WRONG-1').waitFor();
  await look(keeper, 'packing-check');
  await keeper.getByLabel('Scan or type an article').focus();
  await scan('DL-10016');
  await keeper.getByText('All checked, the order is packed').waitFor();
  await keeper.getByRole('button', { name: 'To the list' }).click();
  await keeper.getByLabel(`Choose order ${number}`).check();
  await keeper.getByRole('table').getByText('DL-10016').waitFor();
  await look(keeper, 'packing');
  const slips = await keeper.getByRole('link', { name: 'Packing slips' }).getAttribute('href');
  const papers = await keeper.request.get(slips);
  assert.equal(papers.headers()['content-type'], 'application/pdf');

  const courier = await another();
  await courier.setViewportSize({ width: 360, height: 780 });
  await signInStaff(courier, shop, 'azat@shop.example', 'courier', 'Today');
  await shop.run('orders', 'hand-over', String(number), '--courier', 'azat@shop.example');
  await keeper.goto('/admin/deliveries');
  await keeper.getByRole('link', { name: String(number) }).waitFor();
  await look(keeper, 'deliveries');

  await courier.goto('/admin/stops');
  const taken = courier.getByRole('button', { name: `Cash: Order ${number}` });
  await taken.waitFor();
  await assertNoSidewaysScroll(courier);
  await assertAccessible(courier);
  await picture(courier, 'courier');
  await courier.setViewportSize({ width: 320, height: 780 });
  await assertNoSidewaysScroll(courier);
  await tabTo(courier, taken);
  await courier.keyboard.press('Enter');
  await courier.getByText('Delivered ✓').waitFor();
  const shown = await shop.run('orders', 'show', String(number));
  assert.match(shown, /COMPLETED, paid/);
});
