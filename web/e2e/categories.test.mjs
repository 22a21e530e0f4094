// The tree of categories in the office: dragged with the mouse and carried with the keyboard, on a computer's screen and on a phone's.
import assert from 'node:assert/strict';
import { assertAccessible, assertNoSidewaysScroll, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { signInStaff, until } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401.
test.use({ intended: ['/api/staff/me'] });

/** The tree as it is shown: each name after a dash for its level. */
const shape = (page) =>
  page.getByRole('list', { name: 'Categories' }).evaluate((list) =>
    [...list.querySelectorAll('[data-row]')].map((row) => {
      const level = row.querySelector('span').getBoundingClientRect().width > 0 ? '-' : '';
      return level + row.querySelector('b').textContent;
    }),
  );

const handle = (page, name) => page.getByRole('button', { name: `Move “${name}”` });

/** Opens the tree, and chooses the first category that is within another, and the last one at the top. */
async function open(page, shop, email) {
  await signInStaff(page, shop, email, 'admin');
  await page.goto('/admin/categories');
  await page.getByRole('list', { name: 'Categories' }).waitFor();
  const before = await shape(page);
  const child = before.findIndex((name) => name.startsWith('-'));
  const others = before.filter((name, at) => at > child && !name.startsWith('-'));
  return { before, child: before[child].slice(1), other: others.at(-1) };
}

/** Does what moves a category, and returns the change that it became. */
async function saved(page, act) {
  const made = page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && /\/api\/staff\/changes\/?$/.test(answer.url()),
  );
  await act();
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  return (await (await made).json()).id;
}

/** Takes the move back: other tests read the tree as well. */
async function undo(page, change, before) {
  await page.goto(`/admin/changes/${change}`);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  const undone = page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && /\/undo\/?$/.test(answer.url()) && answer.ok(),
  );
  await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
  await undone;
  await until('the tree is as it was', async () => {
    await page.goto('/admin/categories');
    await page.getByRole('list', { name: 'Categories' }).waitFor();
    return (await shape(page)).join() === before.join();
  });
}

for (const width of [390, 1280]) {
  test.describe(() => {
    test.use({ width });

    test(`a category is dragged under another parent at ${width} px, and the change is undone`, async ({
      page,
      shop,
    }) => {
      const { before, child, other } = await open(page, shop, `drag${width}@shop.example`);
      await assertNoSidewaysScroll(page);
      await assertAccessible(page);
      await handle(page, child).scrollIntoViewIfNeeded();
      const from = await handle(page, child).boundingBox();
      const [x, y] = [from.x + from.width / 2, from.y + from.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x, y + 8, { steps: 2 });
      // The pointer rests at the lower edge until the page has brought the other parent into sight.
      const target = page.locator('[data-row]', { has: handle(page, other) });
      const height = page.viewportSize().height;
      let box = await target.boundingBox();
      for (let tries = 0; box.y + box.height > height - 80 && tries < 100; tries++) {
        await page.mouse.move(x, height - 10);
        await page.waitForTimeout(50);
        box = await target.boundingBox();
      }
      await page.mouse.move(x, height / 2);
      box = await target.boundingBox();
      await page.mouse.move(x, box.y + box.height - 4, { steps: 4 });
      await page.locator('[data-line]').waitFor();
      await picture(page, `categories-drag-${width}`, { fullPage: false });
      const change = await saved(page, () => page.mouse.up());
      const after = await shape(page);
      assert.equal(after[after.indexOf(other) + 1], `-${child}`);
      await undo(page, change, before);
    });

    test(`a category is carried by keys at ${width} px, and Escape leaves it`, async ({ page, shop }) => {
      const { before, child } = await open(page, shop, `keys${width}@shop.example`);
      await handle(page, child).press('Space');
      for (const key of ['End', 'ArrowLeft', 'Escape']) await page.keyboard.press(key);
      await page.getByText(`“${child}” stays where it was`).waitFor();
      assert.deepEqual(await shape(page), before);
      for (const key of ['Space', 'End', 'ArrowLeft']) await page.keyboard.press(key);
      const told = await page.locator('[aria-live=assertive]').textContent();
      assert.match(told, new RegExp(`“${child}”: top level, place (\\d+) of \\1`));
      const line = await page.locator('[data-line]').boundingBox();
      assert.ok(line.y + line.height <= page.viewportSize().height + 4, 'the line is in sight');
      const change = await saved(page, () => page.keyboard.press('Space'));
      const after = await shape(page);
      assert.equal(after.at(-1), child);
      assert.ok(await handle(page, child).evaluate((button) => button === document.activeElement));
      await undo(page, change, before);
    });
  });
}
