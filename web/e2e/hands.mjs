import assert from 'node:assert/strict';
import { tabTo } from './checks.mjs';

/**
 * How somebody works on a page: with the mouse, or with the keyboard alone. Both press, check, type into fields and choose from lists.
 */
export const mouse = {
  press: (_, target) => target.click(),
  check: (_, target) => target.check(),
  type: (_, target, text) => target.fill(text),
  choose: (_, target, label) => target.selectOption({ label }),
};

/** The most presses of Tab on the way to a field; long lists lie between. */
const far = 400;

export const keyboard = {
  async press(page, target) {
    await target.waitFor();
    await tabTo(page, target, 'Tab', far);
    await page.keyboard.press('Enter');
  },
  async check(page, target) {
    await target.waitFor();
    await tabTo(page, target, 'Tab', far);
    if (!(await target.isChecked())) await page.keyboard.press('Space');
  },
  async type(page, target, text) {
    await target.waitFor();
    await tabTo(page, target, 'Tab', far);
    await page.keyboard.press('Control+A');
    if (text) await page.keyboard.type(text);
    else await page.keyboard.press('Delete');
  },
  /** Typing the beginning of a line chooses it. Letters that the layout lacks are no keys: the arrow goes there. */
  async choose(page, target, label) {
    await target.waitFor();
    await tabTo(page, target, 'Tab', far);
    if (/^[ -~]*$/.test(label)) return page.keyboard.type(label);
    const chosen = () => target.evaluate((list) => list.selectedOptions[0]?.label);
    await page.keyboard.press('Home');
    for (let presses = 0; (await chosen()) !== label; presses++) {
      assert.ok(presses < far, `${label} is not in the list`);
      await page.keyboard.press('ArrowDown');
    }
  },
};
