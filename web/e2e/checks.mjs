import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';

const results = fileURLToPath(new URL('../test-results/', import.meta.url));

/** Waits until every picture in sight is there and every font is loaded. */
async function settled(page) {
  await page.waitForFunction(
    () =>
      document.fonts.status === 'loaded' &&
      !document.querySelector('main [role="status"][aria-label="Загружаем…"]') &&
      [...document.images].every((image) => image.complete || image.loading === 'lazy'),
  );
}

/** Waits until the page is laid out to its end, and has its pictures. */
async function laidOut(page) {
  // A sign of a shopper: the page lays out what is below the first screen for those who are there.
  await page.evaluate(() => {
    dispatchEvent(new Event('scroll'));
    document.documentElement.dataset.whole = '';
  });
  await page.waitForFunction(() =>
    [...document.querySelectorAll('section, footer, li')].every(
      (part) => getComputedStyle(part).contentVisibility === 'visible',
    ),
  );
  await page.evaluate(async () => {
    const images = [...document.images];
    for (const image of images) image.loading = 'eager';
    await Promise.all(images.map((image) => image.decode().catch(() => {})));
  });
}

/** With PICTURES=1 keeps a picture of the page in test-results, or of the screen when something lies over the page. */
export async function picture(page, name, { fullPage = true } = {}) {
  if (!process.env.PICTURES) return;
  await settled(page);
  if (fullPage) await laidOut(page);
  const { width } = page.viewportSize();
  await page.screenshot({ path: `${results}${name}-${width}.png`, fullPage, animations: 'disabled' });
}

/** Nothing of the page is wider than the screen. */
export async function assertNoSidewaysScroll(page) {
  const { wide, screen } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    screen: document.documentElement.clientWidth,
  }));
  assert.ok(wide <= screen, `${page.url()} is ${wide} px wide on a screen of ${screen} px`);
}

/** Axe finds nothing: WCAG 2.0 to 2.2, A and AA, and its best practices. */
export async function assertAccessible(page, { frames = true } = {}) {
  await settled(page);
  await laidOut(page);
  const { violations } = await new AxeBuilder({ page })
    // Axe describes what it finds, not the thousands of nodes that are right.
    .options({ resultTypes: ['violations'], iframes: frames })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    // Without frames axe needs no second tab to put its results together.
    .setLegacyMode(!frames || page.frames().length === 1)
    .analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`);
  assert.deepEqual(found, [], `axe on ${page.url()}`);
}

const widths = [320, 360, 768, 1024, 1280, 1920];

/** Looks at what is open in all widths; full: the whole page, not what lies over it. */
export async function look(page, name, full = true) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: width < 700 ? 780 : 900 });
    await assertNoSidewaysScroll(page);
    if (width !== 360 && width !== 1280) continue;
    await assertAccessible(page);
    await picture(page, name, { fullPage: full });
  }
}

/** Reaches an element with the Tab key alone, or with another one; it must show that it has the focus, and nothing may cover it. */
export async function tabTo(page, target, key = 'Tab', most = 80) {
  const focused = () => target.evaluate((element) => element === document.activeElement).catch(() => false);
  for (let presses = 0; !(await focused()); presses++) {
    assert.ok(presses < most, `${target} is not reached with ${most} presses of ${key}`);
    await page.keyboard.press(key);
  }
  const seen = await target.evaluate(async (element) => {
    const still = (before, at = 0) =>
      new Promise(requestAnimationFrame).then(() => {
        const { top } = element.getBoundingClientRect();
        return top === before || at > 90 ? undefined : still(top, at + 1);
      });
    await still(Number.NaN);
    const { x, y, width, height } = element.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    // A radio button's or checkbox's ring may be drawn by the label around it.
    const shows = [element, element.closest('label')].some((one) => {
      if (!one) return false;
      const { outlineStyle, boxShadow } = getComputedStyle(one);
      return outlineStyle !== 'none' || boxShadow !== 'none';
    });
    const label = element.closest('label');
    return {
      ring: shows,
      free: top !== null && (element.contains(top) || top.contains(element) || label?.contains(top) === true),
    };
  });
  assert.ok(seen.ring, `${target} shows its focus`);
  assert.ok(seen.free, `${target} is not covered`);
}
