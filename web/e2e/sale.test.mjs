// A sale of one brand: prepared in the grid, measured, looked at on its page, approved by another person, begun and ended by the clock,
// undone, and told whole.
import assert from 'node:assert/strict';
import { assertAccessible, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { keyboard, mouse } from './hands.mjs';
import { cash, fillCheckout, join, rendered, send, signIn, tenge, until } from './steps.mjs';

// The shop's clock is set, so no other test may have this shop.
test.use({ intended: ['/api/'], alone: 'sale' });
test.setTimeout(480_000);

/** A sum as English pages of staff write it. */
const sumOf = (sum) => new Intl.NumberFormat('en').format(sum);

/** A moment as a field of a form takes it, in the time of Almaty. */
const local = (at) => new Date(at + 5 * 3_600_000).toISOString().slice(0, 16);

const day = 86_400_000;

for (const [name, hands, article] of [
  ['with the mouse', mouse, 'DL-10016'],
  ['by keyboard alone', keyboard, 'DL-10025'],
]) {
  test(`a sale of one brand ${name}`, async ({ page: shopper, shop, another }) => {
    const { press, type, choose } = hands;
    const by = hands === mouse ? 'mouse' : 'keys';
    const bought = await shop.product(article, 20);
    const brand = bought.brand.name;
    await shop.run('changes', 'make', 'rules', 'rules', 'approval_price_cut', '10');
    const priceOf = async ({ article }) => (await shop.product(article)).discounted_price;

    // A manager cuts the prices of the brand by a fifth, from tomorrow on, for two days.
    const manager = await another();
    await join(manager, shop, `sale-manager-${by}@shop.example`, 'manager');
    await manager.goto('/admin/products');
    const brands = manager.getByRole('combobox', { name: /^Brand/ });
    const found = brands.locator('option').filter({ hasText: brand });
    await found.waitFor({ state: 'attached' });
    await choose(manager, brands, await found.textContent());
    await manager.waitForURL(/brand=/);
    await manager
      .getByRole('gridcell', { name: bought.article })
      .or(manager.getByText(bought.article))
      .first()
      .waitFor();
    await hands.check(manager, manager.getByRole('checkbox', { name: /^All that are found/ }));
    await press(manager, manager.getByRole('button', { name: 'Change many' }));
    const many = manager.getByRole('dialog', { name: 'Change many' });
    await choose(manager, many.getByRole('combobox', { name: /^Action/ }), 'Discounted price by formula');
    await type(manager, many.getByRole('textbox', { name: 'Formula' }), 'price - 20% * price');
    await press(manager, many.getByRole('button', { name: 'Change in the draft' }));
    await many.waitFor({ state: 'detached' });
    await press(manager, manager.getByRole('button', { name: 'Review and apply' }));
    const review = manager.getByRole('dialog', { name: 'Review and apply' });
    const title = `Sale of ${brand} ${by}`;
    await type(manager, review.getByLabel('Title of the change'), title);
    const begins = Date.now() + shop.ahead + day;
    await review.getByLabel('When it begins').fill(local(begins));
    await review.getByLabel('When to put back what was').fill(local(begins + 2 * day));
    await press(manager, review.getByRole('button', { name: 'Check', exact: true }));
    await press(manager, review.getByRole('button', { name: 'Measure the effect' }));
    const revenue = review.getByRole('row', { name: /^Revenue/ });
    await revenue.waitFor();
    await review.getByText('What is taken for granted').waitFor();
    await assertAccessible(manager);
    await picture(manager, `sale-effect-${by}`, { fullPage: false });
    await press(manager, review.getByRole('button', { name: 'Schedule' }));
    await review.waitFor({ state: 'detached' });
    await press(manager, manager.getByRole('link', { name: 'Open the change' }));
    await manager.getByRole('heading', { name: title, level: 1 }).waitFor();
    const page = new URL(manager.url()).pathname;
    assert.equal(
      await manager.getByRole('button', { name: 'Approve', exact: true }).count(),
      0,
      'who proposed it is not the second person',
    );
    const cheaper = Math.round((bought.price * 0.8) / 10) * 10; // the grid rounds to 10 tenge
    await look(manager, hands, bought, cheaper, `sale-preview-${by}`);

    // Another person sees what the manager saw, and approves.
    const boss = await another();
    await join(boss, shop, `sale-boss-${by}@shop.example`, 'admin');
    await boss.goto(page);
    await boss
      .getByText(new RegExp(`Orders of 90 days, as sale-manager-${by}@shop.example saw it`))
      .waitFor();
    await press(boss, boss.getByRole('button', { name: 'Approve', exact: true }));
    await press(boss, boss.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }));
    await boss.getByText('Planned', { exact: false }).first().waitFor();
    const before = bought.discounted_price;
    const list = await shop.get('/api/products/?limit=100');
    const edited = list.results.find(
      (one) =>
        one.brand?.name === brand && one.article !== bought.article && one.discounted_price === one.price,
    );
    assert.ok(edited, `${brand} has another product without a discount`);
    assert.equal(await priceOf(bought), before, 'nothing is cheaper before the sale begins');

    // It begins. A shopper buys at its price; meanwhile somebody edits another product of it. The server is away while its clock
    // moves, and a page of staff still fetches what it needs later.
    for (const staff of [manager, boss]) await staff.goto('about:blank');
    await shop.wait(1.1);
    await until('the sale has begun', async () => (await priceOf(bought)) === cheaper);
    await shop.run('changes', 'make', 'product', edited.id, 'discounted_price', String(edited.price - 1));

    const email = `sale-${by}@example.kz`;
    await signIn(shopper, email);
    await rendered(shopper, `/product/${bought.link}`);
    await shopper.goto(`/product/${bought.link}`);
    const pieces = Math.ceil(15_000 / cheaper);
    const add = shopper.getByRole('button', { name: 'Добавить в корзину' });
    await add.click();
    const more = shopper.getByRole('group', { name: `Количество: ${bought.name}` }).first();
    await more.waitFor();
    for (let n = 1; n < pieces; n++) await more.getByRole('button').last().click();
    await shopper.goto('/checkout');
    await shopper.getByLabel('Улица').waitFor();
    await fillCheckout(shopper, email);
    await cash(shopper).check();
    await shopper.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
    const { number } = await send(shopper);
    const order = await shop.order(number);
    assert.equal(order.lines[0].discounted_price, cheaper, 'the shopper pays the price of the sale');
    await shopper.goto('about:blank'); // the server is away while its clock moves

    // It ends: what nobody touched is as it was, the edited product stays, and the change tells both.
    await shop.wait(2.1);
    await until('the sale has ended', async () => (await priceOf(bought)) === before);
    assert.equal(await priceOf(edited), edited.price - 1, 'an edit stays');
    const late = await another();
    await join(late, shop, `sale-late-${by}@shop.example`, 'manager');
    await late.goto('/admin/changes');
    await press(late, late.getByRole('link', { name: title }));
    await late.getByRole('heading', { name: title, level: 1 }).waitFor();
    await late.getByText('1 stayed').waitFor();
    await late.getByText(`sale-boss-${by}@shop.example`, { exact: false }).first().waitFor();
    await assertAccessible(late);
    await picture(late, `sale-told-${by}`);

    // It is undone: the edited product goes back to its price before the sale by choice.
    const id = page.split('/').at(-1);
    const dry = await shop.run('changes', 'undo', id, '--dry-run');
    assert.match(dry, new RegExp(`^product ${edited.id} prices: conflict`), 'the command line tells it too');
    const ended = new Date(Date.now() + shop.ahead).toISOString();
    await press(late, late.getByRole('button', { name: 'Undo', exact: true }));
    const undo = late.getByRole('dialog', { name: 'Undo' });
    await undo.getByText(/^The change has ended/).waitFor();
    const choice = undo.getByRole('checkbox');
    const label = undo.locator('label').filter({ has: late.getByRole('checkbox') });
    for (const text of [edited.name, `now ${sumOf(edited.price - 1)}`, `put back ${sumOf(edited.price)}`])
      await label.filter({ hasText: text }).waitFor();
    assert.equal(await undo.getByRole('button', { name: 'Undo' }).isDisabled(), true);
    await hands.check(late, choice);
    await type(late, undo.getByLabel('Why'), 'The sale is over');
    await assertAccessible(late);
    await picture(late, `sale-undo-${by}`, { fullPage: false });
    await press(late, undo.getByRole('button', { name: 'Undo' }));
    await late.getByRole('heading', { name: `Undo: ${title}`, level: 1 }).waitFor();
    await until('the edited product costs what it did', async () => (await priceOf(edited)) === edited.price);
    assert.equal(await priceOf(bought), before);

    // The audit tells all of it: the sale, the list of what happened to the product, and how two moments differ.
    await press(late, late.getByRole('link', { name: 'a change', exact: true }));
    await late.getByRole('heading', { name: title, level: 1 }).waitFor();
    await late.getByText('Undone', { exact: true }).first().waitFor();
    await picture(late, `sale-undone-${by}`);
    const row = late.getByRole('row').filter({ hasText: edited.article });
    await row.getByText('stayed at the end').waitFor();
    await press(late, row.getByRole('link', { name: 'history' }));
    await late.getByRole('list', { name: 'Narrowed to' }).getByText(edited.name).waitFor();
    const told = late.getByRole('row');
    await told
      .filter({ hasText: `Undo: ${title}` })
      .filter({ hasText: `sale-late-${by}@shop.example` })
      .waitFor();
    await told
      .filter({ has: late.getByRole('link', { name: title, exact: true }) })
      .filter({ hasText: `sale-manager-${by}@shop.example` })
      .filter({ hasText: 'Undone' })
      .waitFor();
    await told
      .filter({ hasNotText: title })
      .filter({ hasText: sumOf(edited.price - 1) })
      .waitFor();
    await assertAccessible(late);
    await picture(late, `sale-history-${by}`);
    await late.goto(`/admin/changes/difference?from=${ended}`);
    const differs = late.getByRole('row').filter({ hasText: edited.article });
    await differs.filter({ hasText: `sale-late-${by}@shop.example` }).waitFor();
    await press(late, differs.getByRole('link', { name: 'Change' }));
    await late.getByRole('heading', { name: `Undo: ${title}`, level: 1 }).waitFor();
  });
}

/** Looks from the page of a change at the page of a product as it would be, with its new price. */
async function look(page, { press, choose }, product, price, name) {
  await press(page, page.getByRole('link', { name: 'Preview' }));
  await choose(page, page.getByRole('combobox', { name: /^Page/ }), `Product: ${product.name}`);
  const frame = page.frameLocator('iframe');
  await frame.getByRole('heading', { name: product.name, level: 1 }).waitFor();
  await frame.getByText(tenge(price)).first().waitFor();
  await page.getByText('Shoppers do not see this.').waitFor();
  await assertAccessible(page, { frames: false }); // axe cannot run in a frame without scripts
  await picture(page, name);
}
