// Browsers set to text of twice the size: it doubles, on every kind of page, and nothing becomes wider than the screen.
import assert from 'node:assert/strict';
import { expect } from '@playwright/test';
import { assertNoSidewaysScroll, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { buy, cash, fillCheckout, send, signIn, signInStaff } from './steps.mjs';

/** Looks at what is open, with text of twice the size, on a phone, a tablet and a desk. */
async function lookLarge(page) {
  const browser = await page.context().newCDPSession(page);
  for (const width of [360, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    // A new size of the screen takes the setting back.
    await browser.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
    await expect(page.locator('body')).toHaveCSS('font-size', '32px');
    await assertNoSidewaysScroll(page);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('main :is(h1, h2, button, label, td, dd)')]
        .filter((one) => getComputedStyle(one).overflowX === 'hidden' && one.clientWidth > 2)
        .filter((one) => one.scrollWidth > one.clientWidth + 1)
        .map((one) => one.textContent),
    );
    assert.deepEqual(cut, [], `${page.url()} at ${width} px cuts text off`);
  }
  await browser.detach();
}

const opened = async (page, at) => {
  await page.goto(at);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle');
  await lookLarge(page);
};

test('large text: what everybody sees', async ({ page, shop }) => {
  const [post] = (await shop.get('/api/blog/posts/')).results;
  for (const at of [
    '/',
    '/categories',
    '/category/syvorotki',
    '/product/ostara-niacinamide-serum',
    '/brands/ostara',
    '/news',
    `/news/${post.link}`,
    '/login',
    '/basket',
    '/checkout',
  ])
    await opened(page, at);
  await page.getByRole('button', { name: 'Поиск' }).click();
  await page.getByRole('searchbox').fill('крем');
  await page.getByRole('dialog').getByRole('listitem').first().waitFor();
  await lookLarge(page);
});

test('large text: basket, checkout, account and order', async ({ page, shop }) => {
  await signIn(page, 'large@example.kz');
  const product = await shop.product('DL-10016', 50);
  await buy(page, product);
  await opened(page, '/basket');
  await opened(page, '/checkout');
  await page.setViewportSize({ width: 1280, height: 900 });
  await fillCheckout(page, 'large@example.kz');
  await cash(page).check();
  const { id } = await send(page);
  // A name may be one long word.
  await page.route('**/api/orders/**', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll(product.name, 'Сверхпитательнаясывороткаконцентрат');
    await route.fulfill({ response, body });
  });
  for (const at of ['/account/info', '/account/orders', `/account/order/${id}`, '/account/bonuses'])
    await opened(page, at);
});

test('large text: a line of the basket with a sum of ten digits', async ({ page, shop }) => {
  const product = await shop.product('DL-10016', 50);
  await page.route(/\/api\/(orders\/calculate-price|products)\//, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll(/"(price|discounted_price)":\d+/g, '"$1":888888888');
    await route.fulfill({ response, body });
  });
  await buy(page, product);
  await page.evaluate(() => {
    const kept = localStorage.getItem('dala.basket') ?? '';
    const dear = kept.replaceAll(/"(price|discounted_price)":\d+/g, '"$1":888888888');
    localStorage.setItem('dala.basket', dear.replaceAll(/"count":\d+/g, '"count":10'));
  });
  await page.goto('/basket');
  await page
    .getByText(/8\s888\s888\s880/)
    .first()
    .waitFor();
  await page.waitForLoadState('networkidle'); // until its fonts are there the sum is wider
  await lookLarge(page);
  const browser = await page.context().newCDPSession(page);
  await page.setViewportSize({ width: 360, height: 800 });
  await browser.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
  const sum = page.locator('main li p span').getByText(/^8\s888\s888\s880/);
  const [end, place] = await sum.evaluate((one) =>
    [one, one.closest('div')].map((box) => box.getBoundingClientRect().right),
  );
  assert.ok(end <= place, `the sum ends at ${end} px, its place at ${place} px`);
  const remove = await page.getByRole('button', { name: `Удалить: ${product.name}` }).boundingBox();
  const name = await page.locator('main li').getByRole('link', { name: product.name }).last().boundingBox();
  assert.ok(name.x + name.width <= remove.x, 'the name ends before the button');
  assert.ok((await sum.boundingBox()).y >= remove.y + remove.height, 'the sum is below the button');
  await picture(page, 'large-sum', { fullPage: false });
});

test.describe(() => {
  // Who is signed in is asked before anybody is; the browser notes the 401.
  test.use({ intended: ['/api/staff/me'] });

  test('large text: the office', async ({ page, shop }) => {
    await signInStaff(page, shop, 'large-office@shop.example', 'admin');
    for (const at of ['', '/orders', '/orders/100001', '/products', '/products/DL-10001'])
      await opened(page, `/admin${at}`);
  });
});
