import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium } from 'playwright-core';
import { Shop } from './shop.mjs';

const results = fileURLToPath(new URL('../test-results/', import.meta.url));

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function launch() {
  const executablePath = process.env.CHROMIUM || process.env.CHROME_PATH || '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: flags });
}

/** A visitor's browser: its own storage and cookies, and a record of everything that the console says. */
async function visit(browser, origin, { width, worker, scripts }) {
  const phone = width < 700;
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width, height: phone ? 780 : 900 },
    isMobile: phone,
    hasTouch: phone,
    locale: 'ru-RU',
    timezoneId: 'Asia/Almaty',
    // Through a service worker tests could not stand between the page and the shop.
    serviceWorkers: worker ? 'allow' : 'block',
    javaScriptEnabled: scripts,
  });
  context.setDefaultTimeout(10_000);
  const said = [];
  context.on('console', (message) => {
    const blocked = message.text() === 'Service Worker registration blocked by Playwright';
    if (['error', 'warning'].includes(message.type()) && !blocked) {
      said.push({ text: message.text(), url: message.location().url });
    }
  });
  context.on('weberror', (error) => said.push({ text: String(error.error()), url: '' }));
  return { context, said, page: await context.newPage() };
}

/**
 * A shop and a browser for the tests of a file. The function returned declares a test: a visitor of a given width,
 * whose console must stay silent. Only the browser's own line about an answer that the test provokes may stand
 * there: intended are parts of such addresses. How the shop is opened is as Shop.open says. With worker the shop's service worker may work; without scripts the page is as it came.
 */
export function openShop(orders, how) {
  let shop;
  let browser;
  before(async () => {
    await mkdir(results, { recursive: true });
    [shop, browser] = await Promise.all([Shop.open(orders, how), launch()]);
  });
  after(async () => {
    await browser?.close();
    await shop?.close();
  });
  return (name, { width = 1280, intended = [], worker = false, scripts = true }, steps) =>
    test(name, { timeout: 90_000 }, async () => {
      const visitor = await visit(browser, shop.origin, { width, worker, scripts });
      const others = [];
      const another = async () => {
        others.push(await visit(browser, shop.origin, { width, worker, scripts }));
        return others.at(-1).page;
      };
      try {
        await steps({ ...visitor, shop, another });
        const said = [visitor, ...others].flatMap((one) => one.said);
        const unwanted = said.filter(
          ({ text, url }) =>
            !text.startsWith('Failed to load resource:') || !intended.some((part) => url.includes(part)),
        );
        assert.deepEqual(unwanted, [], 'the console is silent');
      } catch (error) {
        await visitor.page.screenshot({ path: `${results}failed ${name}.png` }).catch(() => {});
        throw error;
      } finally {
        await Promise.all([visitor, ...others].map(({ context }) => context.close()));
      }
    });
}

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
async function unfold(page) {
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

/** Keeps a picture of the page, or of the screen when something lies over the page. */
export async function picture(page, name, { fullPage = true } = {}) {
  await settled(page);
  if (fullPage) await unfold(page);
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
export async function assertAccessible(page) {
  await settled(page);
  await unfold(page);
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`);
  assert.deepEqual(found, [], `axe on ${page.url()}`);
}

const widths = [320, 360, 768, 1280, 1920];

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
