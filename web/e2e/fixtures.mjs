import { test as base, expect } from '@playwright/test';
import { Shop } from './shop.mjs';

/** Records what the console of a context says. */
function listen(context, consoleMessages) {
  context.on('console', (message) => {
    const blocked = message.text() === 'Service Worker registration blocked by Playwright';
    if (['error', 'warning'].includes(message.type()) && !blocked) {
      consoleMessages.push({ text: message.text(), url: message.location().url });
    }
  });
  context.on('weberror', (error) => consoleMessages.push({ text: String(error.error()), url: '' }));
}

/** What a browser notes about an address: that it failed, or that tools such as axe and traces may run nothing in its frame. */
const notes = ['Failed to load resource:', 'Blocked script execution in'];

/**
 * Playwright's test with these fixtures:
 *   shop     the running program with the demo's catalog; one per worker
 *   page     a page whose console must stay silent
 *   another  opens a page of another visitor, under the same conditions
 * and these options:
 *   width     the width of the screen in px; below 700 it is a phone's
 *   intended  parts of the addresses whose failing the test provokes, or whose frames run no scripts; only the browser's lines about
 *             those may be in the console
 *   alone     a name for tests that change what others rely on, as the clock: they get a shop of their own
 *   named     whether browsers reach the shop by a name, which passkeys need
 */
export const test = base.extend({
  alone: ['', { option: true, scope: 'worker' }],
  named: [false, { option: true, scope: 'worker' }],
  shop: [
    // Workers are apart where an option of theirs differs: that is all that alone does.
    async ({ alone: _, named }, use) => {
      const shop = await Shop.open(process.env.SHOP_E2E_PREPARED, { named });
      await use(shop);
      await shop.close();
    },
    { scope: 'worker', timeout: 300_000 },
  ],

  width: [1280, { option: true }],
  intended: [[], { option: true }],
  baseURL: ({ shop }, use) => use(shop.origin),
  viewport: ({ width }, use) => use({ width, height: width < 700 ? 780 : 900 }),
  isMobile: ({ width }, use) => use(width < 700),
  hasTouch: ({ width }, use) => use(width < 700),

  consoleMessages: async ({ intended }, use) => {
    const messages = [];
    await use(messages);
    const unwanted = messages.filter(
      ({ text, url }) =>
        !notes.some((note) => text.startsWith(note)) ||
        !intended.some((part) => `${url} ${text}`.includes(part)),
    );
    expect(unwanted, 'the console is silent').toEqual([]);
  },
  context: async ({ context, consoleMessages }, use) => {
    listen(context, consoleMessages);
    await use(context);
  },
  another: async ({ browser, context: _, consoleMessages }, use) => {
    const contexts = [];
    await use(async () => {
      const context = await browser.newContext();
      contexts.push(context);
      listen(context, consoleMessages);
      return context.newPage();
    });
    await Promise.all(contexts.map((context) => context.close()));
  },
});
