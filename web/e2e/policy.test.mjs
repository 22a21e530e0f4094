// The Content-Security-Policy of pages in a browser: what it is to keep out it keeps out, and nothing that pages need.
import assert from 'node:assert/strict';
import { test } from './fixtures.mjs';

/** What the page is kept from doing, from now on. */
const violations = async (page) => {
  await page.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      globalThis.violations.push(`${event.effectiveDirective} ${event.blockedURI}`),
    );
  });
  return () => page.evaluate(() => globalThis.violations);
};

test.describe(() => {
  test.use({ serviceWorkers: 'allow' });
  test('pages of the shop need nothing that their policy forbids', async ({ page, shop }) => {
    const kept = await violations(page);
    const [post] = (await shop.get('/api/blog/posts/')).results;
    for (const path of [
      '/',
      '/categories/litso',
      '/category/syvorotki',
      '/product/ostara-niacinamide-serum',
      '/basket',
      '/login',
      '/news',
    ]) {
      await page.goto(path, { waitUntil: 'load' });
      await page.locator('#root > *').first().waitFor();
      assert.deepEqual(await kept(), [], path);
    }
    // A post's HTML is made in the browser: the one place where a text becomes HTML.
    await page.getByRole('link', { name: post.title }).click();
    await page.getByRole('heading', { level: 1, name: post.title }).waitFor();
    await page.locator('article p').first().waitFor();
    assert.deepEqual(await kept(), []);
  });
});

test.describe(() => {
  test.use({ intended: ['/api/staff/me/'] });
  test('pages of the staff need nothing that their policy forbids', async ({ page }) => {
    const kept = await violations(page);
    for (const path of ['/admin', '/ops', '/analytics']) {
      await page.goto(path, { waitUntil: 'load' });
      await page.locator('input[type=password]').waitFor();
      assert.deepEqual(await kept(), [], path);
    }
  });
});

test('a text becomes neither HTML nor a script', async ({ page: quiet, shop }) => {
  // A visitor whose console may say what was refused.
  const page = await quiet.context().browser().newPage();
  for (const path of ['/about', '/ops']) {
    await page.goto(shop.origin + path, { waitUntil: 'load' });
    await page.locator('#root > *').first().waitFor();
    const refused = await page.evaluate(
      () =>
        [
          () => (document.createElement('div').innerHTML = '<img src=x onerror=alert(1)>'),
          () => (document.createElement('script').src = 'https://evil.example/x.js'),
          () => (document.createElement('script').text = 'alert(1)'),
          () => document.createElement('iframe').setAttribute('srcdoc', '<script>alert(1)</script>'),
          () => trustedTypes.createPolicy('mine', {}),
          () => setTimeout('alert(1)'),
        ].filter((attempt) => {
          try {
            attempt();
            return false;
          } catch {
            return true;
          }
        }).length,
    );
    assert.equal(refused, 6, path);
  }
  await page.close();
});
