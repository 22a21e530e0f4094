// What is there without a network: pages as they were read, with a word about it, and nothing of anybody's own.
import assert from 'node:assert/strict';
import { assertAccessible, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { openDoor } from './release.mjs';
import { buy, signIn } from './steps.mjs';

test.use({ serviceWorkers: 'allow', intended: ['/'] });
const banner = (page) => page.getByText('Нет связи. Показываем то, что уже загружено');

/** The service worker has taken over, and has kept what is open. A condition that is a promise has to be waited for in the page. */
async function kept(page) {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    const there = async () => {
      for (const name of await caches.keys()) {
        if (name.startsWith('pages ') && (await (await caches.open(name)).match(location.pathname)))
          return true;
      }
      return false;
    };
    while (!(await there())) await new Promise((again) => setTimeout(again, 50));
  });
}

/** The network is gone: also for the service worker, which the browser's own switch does not reach. */
async function lose(context, shop) {
  await shop.kill();
  await context.setOffline(true);
}

async function regain(context, shop) {
  await shop.start();
  await context.setOffline(false);
}

/** The addresses that are kept, without those of files. */
const keptAddresses = (page) =>
  page.evaluate(async () => {
    const names = await caches.keys();
    const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return all
      .flat()
      .map(({ url }) => url.slice(location.origin.length))
      .filter((address) => !address.startsWith('/assets/'));
  });

test('a product that was read can be read without a network', async ({ page, context, shop }) => {
  const product = await shop.product('DL-10016');
  await page.goto(`/product/${product.link}`);
  await kept(page);
  await lose(context, shop);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: product.name }).waitFor();
  await banner(page).waitFor();
  await assertAccessible(page);
  await picture(page, 'offline product', { fullPage: false });

  // What was never read comes by itself, as soon as it can.
  await page.goto('/categories/litso').catch(() => {});
  await banner(page).waitFor();
  await regain(context, shop);
  await banner(page).waitFor({ state: 'detached', timeout: 20_000 });
  await page.getByRole('heading', { level: 1, name: 'Лицо' }).waitFor();
});

test('a price of yesterday is not shown as of today', async ({ page, context, shop }) => {
  const product = await shop.product('DL-10018', 9);
  await page.goto(`/product/${product.link}`);
  await kept(page);
  const asked = [];
  await lose(context, shop);
  await page.reload();
  await banner(page).waitFor();
  await page.getByRole('button', { name: 'Добавить в корзину' }).first().waitFor();
  await shop.run('stock', 'adjust', '--article', 'DL-10018', '--on-hand', '0');
  // A shop that is just starting answers 503 for a moment.
  const ofProduct = (response) =>
    response.url().includes(`/api/products/${product.link}/`) && response.status() === 200;
  page.on('response', (response) => ofProduct(response) && asked.push(response));
  await regain(context, shop);
  await banner(page).waitFor({ state: 'detached', timeout: 20_000 });
  await page.getByRole('button', { name: 'Нет в наличии' }).first().waitFor();
  assert.ok(asked.length > 0);
  assert.equal(asked.at(-1).headers()['x-from-cache'], undefined);
});

test('the checkout says that it needs a network', async ({ page, context, shop }) => {
  await buy(page, await shop.product('DL-10011'));
  await page.goto('/checkout');
  await page.getByRole('button', { name: 'Оплатить' }).waitFor();
  await context.setOffline(true);
  await banner(page).waitFor();
  await picture(page, 'offline checkout', { fullPage: false });
});

test('nothing of an account is kept', async ({ page }) => {
  await page.goto('/');
  await kept(page);
  await signIn(page, 'keeper@example.com');
  for (const at of ['/account/info', '/account/orders', '/account/bonuses', '/basket']) {
    await page.goto(at);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
  await page.goto('/account/info');
  await page.getByRole('button', { name: 'Выйти' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  const personal = (await keptAddresses(page)).filter((address) =>
    /account|order|auth|token|basket|checkout|subscriptions|ops|pay/.test(address),
  );
  assert.deepEqual(personal, []);
});

test.describe(() => {
  test.use({ intended: ['/assets/'] });
  test('a new release takes over, and an old tab goes on in it', async ({ page, context, shop }) => {
    const door = await openDoor(shop.origin);
    try {
      await page.goto(`${door.origin}/about`);
      await kept(page);
      const caches = (tab) => tab.evaluate(() => globalThis.caches.keys());
      const [before] = (await caches(page)).filter((name) => name.startsWith('files '));
      door.release();

      const tab = await context.newPage();
      await tab.goto(`${door.origin}/brands`);
      for (let tries = 0; (await caches(tab)).includes(before); tries++) {
        assert.ok(tries < 100, 'the old release is forgotten');
        await new Promise((again) => setTimeout(again, 100));
      }
      assert.ok((await caches(tab)).includes('files ffffffffffff'));

      // What the old tab has not fetched yet is gone: it comes as the new release has it.
      await page.getByRole('banner').getByRole('link', { name: 'Личный кабинет' }).click();
      await page.getByRole('heading', { level: 1, name: 'Вход' }).waitFor();
      assert.equal(new URL(page.url()).pathname, '/login');
      const scripts = await page.locator('script[src]').evaluateAll((all) => all.map(({ src }) => src));
      assert.ok(scripts.every((src) => src.endsWith('.next.js')));
    } finally {
      door.close();
    }
  });
});
