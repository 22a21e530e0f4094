// A merchant's day, from an order in the storefront to goods that come back on the ninth day.
import assert from 'node:assert/strict';
import { assertAccessible, assertNoSidewaysScroll, look, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { keyboard, mouse } from './hands.mjs';
import { basketIcon, cash, chooseCity, fillCheckout, signIn, signInStaff, until } from './steps.mjs';

// The browser notes each refusal of the shop: who is not signed in yet, who saves second, what is asked of a shop that starts anew.
// The shop's clock is set, so no other test may have this shop.
test.use({ intended: ['/api/'], alone: 'day' });
test.setTimeout(600_000);

const tengeOf = (text) => Number(text.replace(/[^\d]/g, ''));

/** A sum with its sign, as pages write it. */
const signed = (text) => tengeOf(text) * (/[−-]/.test(text) ? -1 : 1);
const tenge = (sum) => `${sum.toLocaleString('ru').replace(/\s/g, '\u00a0')}\u00a0₸`;

for (const [name, hands, articles] of [
  ['with the mouse', mouse, ['DL-10016', 'DL-10018']],
  ['by keyboard alone', keyboard, ['DL-10025', 'DL-10026']],
]) {
  test(`a day of the shop ${name}`, async ({ page: shopper, shop, another }) => {
    const { press, check, type, choose } = hands;
    const by = hands === mouse ? 'mouse' : 'keys';
    const soap = await shop.product(articles[0], 20);
    const cream = await shop.product(articles[1], 20);

    const manager = await another();
    await signInStaff(manager, shop, `manager-${by}@shop.example`, 'manager');
    const seen = manager.waitForResponse('**/api/staff/today/');
    await manager.goto('/admin');
    const { waits } = await (await seen).json();
    const before = waits.find(({ code }) => code === 'to_confirm')?.count ?? 0;

    const revenue = async () => {
      const { rows } = await shop.json('reports', 'sales', '--by', 'month');
      return rows.reduce((sum, row) => sum + row.revenue, 0);
    };
    const soldBefore = await revenue();

    // The shopper orders in cash.
    const email = `day-${by}@example.kz`;
    await signIn(shopper, email);
    for (const product of [soap, cream]) {
      await shopper.goto(`/product/${product.link}`);
      await press(shopper, shopper.getByRole('button', { name: 'Добавить в корзину' }));
      await shopper
        .getByRole('group', { name: `Количество: ${product.name}` })
        .first()
        .waitFor();
    }
    await basketIcon(shopper, 2).waitFor();
    await shopper.goto('/checkout');
    await shopper.getByLabel('Улица').waitFor();
    if (hands === mouse) {
      await fillCheckout(shopper, email);
      await cash(shopper).check();
    } else {
      const city = shopper.getByRole('combobox', { name: /Город/ });
      await press(shopper, city);
      await chooseCity(shopper);
      for (const [label, text] of Object.entries({ Улица: 'проспект Абая', Дом: '10' }))
        await type(shopper, shopper.getByLabel(label, { exact: true }), text);
      await cash(shopper).waitFor();
      const card = shopper.getByRole('radio', { name: 'Картой онлайн' });
      await type(shopper, shopper.getByLabel('Телефон'), '87011234567');
      await check(shopper, card);
      while (!(await cash(shopper).isChecked())) await shopper.keyboard.press('ArrowDown');
    }
    await shopper.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
    const answered = shopper.waitForResponse((response) => response.url().endsWith('/api/orders/'));
    await press(shopper, shopper.getByRole('button', { name: 'Далее' }));
    const { number } = await (await answered).json();
    const { total_paid: placed } = await shop.order(number);

    // The notice reaches the manager's page by itself, and the order is confirmed.
    const toConfirm = manager
      .getByRole('main')
      .getByRole('link', { name: new RegExp(`^${before + 1} To confirm$`) });
    await toConfirm.waitFor({ timeout: 60_000 });
    await press(manager, toConfirm);
    await press(manager, manager.getByRole('link', { name: String(number), exact: true }));
    await manager.getByRole('heading', { name: `Order ${number}`, level: 1 }).waitFor();
    await press(manager, manager.getByRole('button', { name: 'Confirm', exact: true }));
    await manager.getByRole('main').getByText('Confirmed').first().waitFor();
    if (hands === mouse) await look(manager, 'day-order');
    await manager.setViewportSize({ width: 1280, height: 900 });

    // Two managers at once: the second one opens the address while the first changes a line by phone.
    const second = await another();
    await signInStaff(second, shop, `second-${by}@shop.example`, 'manager');
    await second.goto(`/admin/orders/${number}`);
    await press(second, second.getByRole('button', { name: 'Change contact and address' }));
    const address = second.getByRole('dialog', { name: 'Contact, address and day' });
    await type(second, address.getByLabel('House'), '12');

    await press(manager, manager.getByRole('button', { name: 'Change the goods' }));
    const goods = manager.getByRole('dialog', { name: 'Goods of the order' });
    await type(manager, goods.getByRole('textbox', { name: `Amount: ${cream.name}` }), '90');
    await type(manager, goods.getByLabel(/the customer will see/), 'Позвонила и попросила ещё один');
    await press(manager, goods.getByRole('button', { name: 'Save' }));
    // More than there is stands beside its field, and nothing is changed.
    await goods.getByRole('listitem').getByRole('alert').filter({ hasText: /\S/ }).first().waitFor();
    assert.equal((await shop.order(number)).total_paid, placed);
    await type(manager, goods.getByRole('textbox', { name: `Amount: ${cream.name}` }), '2');
    const preview = goods.getByRole('region', { name: 'New price' });
    await manager.waitForFunction(() => !document.querySelector('dialog [aria-busy="true"]'));
    const asked = tengeOf(
      await preview.getByText('Total').locator('xpath=following-sibling::dd').textContent(),
    );
    if (hands === mouse) await look(manager, 'day-lines', false);
    await manager.setViewportSize({ width: 1280, height: 900 });
    await press(manager, goods.getByRole('button', { name: 'Save' }));
    await goods.waitFor({ state: 'detached' });
    const changed = await shop.order(number);
    assert.equal(changed.total_paid, asked, 'the preview told the price');
    assert.ok(asked >= soap.discounted_price + 2 * cream.discounted_price * 0.9);

    await press(second, address.getByRole('button', { name: 'Save' }));
    const told = address.getByRole('alert').filter({ hasText: 'The order was changed meanwhile' });
    await told.getByText(`Goods changed, manager-${by}@shop.example`).waitFor();
    if (hands === mouse) await look(second, 'day-overtaken', false);
    await second.setViewportSize({ width: 1280, height: 900 });
    await press(second, address.getByRole('button', { name: 'Load the new state' }));
    await told.waitFor({ state: 'detached' });
    await type(second, address.getByLabel('House'), '12');
    await press(second, address.getByRole('button', { name: 'Save' }));
    await address.waitFor({ state: 'detached' });
    const moved = await shop.order(number);
    assert.equal(moved.customer_house, '12');
    assert.equal(moved.total_paid, asked);

    // Packed with the scanner: it types into the field that has the focus, and presses Enter.
    const keeper = await another();
    await signInStaff(keeper, shop, `keeper-${by}@shop.example`, 'warehouse', 'Today');
    await keeper.goto('/admin/packing?day=2099-12-31');
    await press(keeper, keeper.getByRole('button', { name: `Pack: Order ${number}` }));
    const field = keeper.getByLabel('Scan or type an article');
    await field.waitFor();
    const scan = async (article) => {
      await field.evaluate((input) => input === document.activeElement || input.focus());
      await keeper.keyboard.type(article);
      await keeper.keyboard.press('Enter');
    };
    await scan('DL-10001');
    await keeper.getByText('Not in the order: DL-10001').waitFor();
    await scan('%%%%');
    await keeper.getByText(/not readable|Not in the order/).waitFor();
    await scan(cream.article);
    await scan(soap.article);
    await keeper.getByText(`${soap.article}: right, 0 left`).waitFor();
    await scan(soap.article);
    await keeper.getByText(`${soap.article}: more than in the order`).waitFor();
    await scan(cream.article);
    await keeper.getByText('All checked, the order is packed').waitFor();

    // The courier joins, gets the parcel and takes the cash at the door.
    const courier = await another();
    await courier.setViewportSize({ width: 360, height: 780 });
    const azat = `courier-${by}@shop.example`;
    await signInStaff(courier, shop, azat, 'courier', 'Today');
    await keeper.goto(`/admin/orders/${number}`);
    await press(keeper, keeper.getByRole('button', { name: 'Hand over' }));
    const over = keeper.getByRole('dialog', { name: 'Hand over' });
    await choose(keeper, over.getByLabel('To whom'), azat);
    if (hands === mouse) await look(keeper, 'day-hand-over', false);
    await keeper.setViewportSize({ width: 1280, height: 900 });
    await press(keeper, over.getByRole('button', { name: 'Hand over' }));
    await over.waitFor({ state: 'detached' });

    await courier.goto('/admin/stops');
    const taken = courier.getByRole('button', { name: `Cash: Order ${number}` });
    await taken.waitFor();
    await courier.getByText('проспект Абая, 12').waitFor();
    await assertNoSidewaysScroll(courier);
    await assertAccessible(courier);
    await picture(courier, 'day-courier');
    await press(courier, taken);
    await courier.getByText('Delivered ✓').waitFor();

    // The cash is paid in, to the last tenge.
    await keeper.goto('/admin/deliveries');
    const box = keeper
      .locator('section')
      .filter({ hasText: azat })
      .getByRole('form', { name: "The day's cash" });
    assert.equal(tengeOf((await box.getByText(/Expected/).textContent()).split('·')[0]), asked);
    await type(keeper, box.getByLabel('Handed in'), String(asked));
    await press(keeper, box.getByRole('button', { name: 'Record' }));
    await box.getByText(/Recorded/).waitFor();
    const done = await shop.order(number);
    assert.equal(done.status, 'COMPLETED');
    assert.equal(done.captured, asked);

    const bonuses = async () => {
      const session = await shopper.evaluate(() => JSON.parse(localStorage.getItem('dala.session')).token);
      const answer = await shopper.request.get('/api/auth/profile/bonuses/', {
        headers: { Authorization: `Bearer ${session}` },
      });
      assert.ok(answer.ok(), `${answer.status()}`);
      return (await answer.json()).bonus_amount;
    };
    await until('the completed order earns bonuses', async () => (await bonuses()) > 0);
    const earned = await bonuses();

    // The ninth day: one piece comes back into stock, its money by hand, as it came.
    await shop.wait(9);
    const back = await another();
    await signInStaff(back, shop, `ninth-${by}@shop.example`, 'manager');
    await back.goto(`/admin/orders/${number}`);
    await press(back, back.getByRole('button', { name: 'Take goods back' }));
    const coming = back.getByRole('dialog', { name: 'Goods came back' });
    await type(back, coming.getByLabel(new RegExp(`^Came back: ${cream.name}`)), '3');
    await type(back, coming.getByLabel('Reason', { exact: true }), 'Не подошёл');
    await press(back, coming.getByRole('button', { name: 'Take goods back' }));
    await coming.getByRole('alert').filter({ hasText: /\S/ }).first().waitFor();
    await type(back, coming.getByLabel(new RegExp(`^Came back: ${cream.name}`)), '1');
    if (hands === mouse) await look(back, 'day-return', false);
    await back.setViewportSize({ width: 1280, height: 900 });
    await press(back, coming.getByRole('button', { name: 'Take goods back' }));
    await coming.waitFor({ state: 'detached' });
    const returned = await shop.order(number);
    const owed = returned.owed;
    const worth = returned.total_paid - returned.goods_back;
    assert.ok(returned.goods_back > 0);
    assert.equal(returned.captured - owed, worth, 'what is owed is what the goods cost that came back');
    await press(back, back.getByRole('button', { name: /^Record a refund/ }));
    const refund = back.getByRole('dialog', { name: /^Record a refund/ });
    await type(back, refund.getByLabel('Number of the refund at the bank or the desk'), 'KO-9');
    assert.equal(await refund.getByLabel('Sum, ₸').inputValue(), String(owed));
    await press(back, refund.getByRole('button', { name: 'Record a refund' }));
    await refund.waitFor({ state: 'detached' });

    // Everything agrees.
    const last = await shop.order(number);
    assert.equal(last.captured, worth);
    assert.equal(last.owed, 0);
    assert.equal(await shop.amount(soap), 19);
    assert.equal(await shop.amount(cream), 19);
    const left = Math.round((earned * worth) / asked);
    await until(`of ${earned} bonuses ${left} are left`, async () => Math.abs((await bonuses()) - left) <= 1);
    await until('the reports know the return', async () => (await revenue()) - soldBefore === worth);
    await shopper.goto('/account/orders');
    await press(shopper, shopper.getByRole('link', { name: new RegExp(String(number)) }).first());
    await shopper.getByRole('heading', { name: new RegExp(String(number)), level: 1 }).waitFor();
    await shopper.getByText(`${cream.name}: 1 шт.`).waitFor();
    await shopper.getByText(`Возврат за товары: ${tenge(owed)}`).waitFor();
    await shopper.getByText('Позвонила и попросила ещё один').waitFor();
    await press(shopper, shopper.getByText('Почему столько?'));
    const steps = shopper.locator('details ol > li > span + span');
    const sums = (await steps.allTextContents()).map(signed);
    assert.equal(sums.pop(), asked, 'the last step of the explanation is what was to pay');
    assert.equal(
      sums.reduce((all, one) => all + one, 0),
      asked,
    );
    await assertAccessible(shopper);
    await picture(shopper, 'day-shopper');
    // The office explains the price by the same steps, and says what the order is worth now.
    await press(back, back.getByText('How the price came about'));
    const explained = (await back.locator('details li').allTextContents()).map((text) =>
      signed(text.split(': ').at(-1)),
    );
    assert.equal(
      explained.reduce((all, one) => all + one, 0),
      asked,
    );
    await back.getByText('Goods that came back', { exact: true }).first().waitFor();
    await look(back, `day-end-${by}`);
  });
}
