// Measures what the start of a page costs the main thread of a phone, in milliseconds of processor time until 2.5 s after the load event:
// other work on the machine changes it less than scores and times. Several running shops are measured in turn, an old and a new program. In web:
//   ../.ci/browser node scripts/start.mjs [--runs 9] [--path /] ORIGIN...
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { columns, costsOfStart } from './inp/trace.mjs';

const { values: told, positionals: origins } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '9' }, path: { type: 'string', default: '/' } },
});
if (origins.length === 0)
  throw new Error('Name the address of a running shop, such as http://127.0.0.1:8080.');

async function costsAt(browser, origin) {
  const context = await browser.newContext({
    viewport: { width: 412, height: 823 },
    deviceScaleFactor: 1.75,
    isMobile: true,
    hasTouch: true,
    locale: 'ru-RU',
  });
  const page = await context.newPage();
  await browser.startTracing(page, { categories: ['devtools.timeline', 'toplevel', 'v8'] });
  await page.goto(origin + told.path);
  await page.waitForTimeout(2500);
  const costs = costsOfStart(await browser.stopTracing());
  await context.close();
  return costs;
}

const middle = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const found = new Map(origins.map((origin) => [origin, []]));
  for (let run = 0; run < Number(told.runs); run++)
    for (const [origin, costs] of found) costs.push(await costsAt(browser, origin));
  for (const [origin, costs] of found) {
    const shown = columns.map(
      (column) => `${column} ${middle(costs.map((cost) => cost[column])).toFixed(0)}`,
    );
    console.log(`${origin}${told.path}, medians of ${told.runs}: ${shown.join(', ')}`);
  }
} finally {
  await browser.close();
}
