// A picture of a product is cropped in the office, by the mouse and by the keyboard.
import assert from 'node:assert/strict';
import { assertAccessible, assertNoSidewaysScroll, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { signInStaff } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401.
test.use({ intended: ['/api/staff/me'] });

const path = '/admin/products/DL-10001';

/** The pictures that the shop keeps of the product. */
const kept = async (page) =>
  (await (await page.request.get('/api/staff/products/DL-10001/')).json()).pictures;

for (const width of [390, 1280]) {
  test.describe(() => {
    test.use({ width });
    test(`a picture is cropped at ${width} px and keeps its place and its text`, async ({ page, shop }) => {
      await signInStaff(page, shop, `crop${width}@shop.example`, 'admin');
      const before = await kept(page);
      await page.goto(path);
      await page.getByLabel('What picture 1 shows', { exact: true }).fill(`Флакон ${width}`);
      await page.getByRole('button', { name: 'Crop picture 1', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Crop' });
      const crop = dialog.getByRole('button', { name: 'Crop', exact: true });
      await dialog.getByText(/^Frame: \d+ × \d+ pixels$/).waitFor();
      assert.ok(await crop.isDisabled(), 'all of a picture is no crop');
      await dialog.getByLabel('Shape').selectOption('1 : 1');
      const size = async () =>
        (await dialog.getByText(/^Frame:/).textContent()).match(/\d+/g).map((number) => Number(number));
      const [side, same] = await size();
      assert.equal(side, same);
      const corner = dialog.getByRole('button', { name: 'Bottom right corner' });
      const box = await corner.boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x - 20, box.y - 20, { steps: 3 });
      await page.mouse.up();
      const [dragged] = await size();
      assert.ok(dragged < side, `${dragged} of ${side}`);
      await dialog.getByRole('button', { name: 'Top left corner' }).press('Shift+ArrowRight');
      await dialog.getByRole('button', { name: 'Move the frame' }).press('ArrowLeft');
      const [typed, high] = await size();
      assert.ok(typed < dragged && typed === high, `${typed} × ${high}`);
      await assertNoSidewaysScroll(page);
      await assertAccessible(page);
      await picture(page, `crop-${width}`, { fullPage: false });
      await crop.click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText(/Fields saved: 1/).waitFor();
      const after = await kept(page);
      assert.equal(after.length, before.length);
      assert.deepEqual([after[0].width, after[0].height], [typed, typed]);
      assert.notEqual(after[0].src, before[0].src);
      assert.equal(after[0].alt, `Флакон ${width}`);
      assert.deepEqual(after.slice(1), before.slice(1));
      assert.ok((await page.request.get(before[0].src)).ok(), 'the picture before is kept');
    });
  });
}
