// What the shop says, and its catalog files, in Chromium: each desk at every width with a silent console, nothing sideways and
// nothing for axe to find; a page is written beside its preview and shoppers read it; a file is one change.
import assert from 'node:assert/strict';
import { assertAccessible, assertNoSidewaysScroll, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { signInStaff } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401.
test.use({ intended: ['/api/staff/me'] });

const desks = [
  ['/admin/content', 'Texts and slides'],
  ['/admin/content/main-slider', 'Slides of the home page'],
  ['/admin/content/about', 'About'],
  ['/admin/blog', 'Blog'],
  ['/admin/blog/new', 'New post'],
  ['/admin/imports', 'Catalog import'],
];

for (const width of [320, 1280]) {
  test.describe(() => {
    test.use({ width });
    test(`texts, blog and imports open at ${width} px`, async ({ page, shop }) => {
      await signInStaff(page, shop, `content${width}@shop.example`, 'admin');
      for (const [path, title] of desks) {
        await page.goto(path);
        await page.getByRole('heading', { name: title, level: 1, exact: true }).waitFor();
        await page.waitForFunction(
          () => !document.querySelector('main [role="status"][aria-label="Loading"]'),
        );
        await assertNoSidewaysScroll(page);
        await assertAccessible(page);
        await picture(page, `content-${path.replaceAll('/', '-')}-${width}`);
      }
    });
  });
}

test('a page is written beside its preview, and shoppers read it', async ({ page, shop }) => {
  await signInStaff(page, shop, 'writer@shop.example', 'admin');
  await page.goto('/admin/content/about');
  await page.getByRole('textbox', { name: 'In Russian' }).fill('Мы **рядом**.\n\n## Где мы\n\nВ Алматы');
  await page
    .getByRole('region', { name: 'Preview: In Russian' })
    .getByRole('heading', { name: 'Где мы' })
    .waitFor();
  await page.getByRole('button', { name: 'Publish' }).first().click();
  await page.getByRole('link', { name: 'Open the change' }).waitFor();
  for (const deadline = Date.now() + 60_000; ; ) {
    const html = await (await fetch(`${shop.origin}/api/content/pages/about/`)).text();
    if (html.includes('Где мы')) break;
    assert.ok(Date.now() < deadline, html);
  }
  await page.goto('/about');
  await page.getByRole('heading', { name: 'Где мы', level: 2 }).waitFor();
  await assertAccessible(page);
  // Other tests in this shop read the page as it was.
  const [{ id }] = await shop.json('changes', 'list', '--limit', '1');
  await shop.run('changes', 'undo', id);
});

test('a catalog file is compared and applied as one change', async ({ page, shop }) => {
  await signInStaff(page, shop, 'importer@shop.example', 'admin');
  await page.goto('/admin/imports');
  await page.getByLabel(/^A file/).setInputFiles({
    name: 'shelves.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Артикул;Ячейка\nDL-10001;Z-9\nDL-10002;???\n'),
  });
  await page.getByText(/Products in the file/).waitFor();
  await page.getByRole('button', { name: /^Apply/ }).click();
  await page.getByRole('link', { name: 'Open the change' }).click();
  await page.getByRole('heading', { name: 'Import of shelves.csv' }).waitFor();
  await assertAccessible(page);
});
