// Measures how soon the shop answers each action of a purchase and of an account (Interaction to Next Paint), on a
// phone whose processor is four times slower. After make build, in web:
//   ../.ci/browser node scripts/inp.mjs [--runs 3] [--cpu 4] [--only home,list,…] [--trace] [ORIGIN...]
// Without an address it opens a demo of its own. Several addresses are measured in turn: an old and a new program.
import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { Shop } from '../e2e/shop.mjs';
import { journeys } from './inp/journeys.mjs';
import { Measured } from './inp/measured.mjs';
import { columns as ofTrace } from './inp/trace.mjs';

const { values: told, positionals: given } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '3' },
    cpu: { type: 'string', default: '4' },
    only: { type: 'string', default: '' },
    trace: { type: 'boolean', default: false },
  },
});
const runs = Number(told.runs);
/** What an action may take, in milliseconds. */
const limit = 100;
/** Orders of the demo: with 120 the product of the journeys had no reviews to sort. */
const orders = 1000;
/** Of a column, in letters. */
const width = 13;

const median = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};
const of = (samples, name) => Math.round(median(samples.map((sample) => sample[name])));
const load = () => loadavg()[0].toFixed(1);

/** What each action of a journey took. A journey that fails keeps what it has measured. */
async function samplesOf(browser, origin, journey) {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
    locale: 'ru-RU',
  });
  context.setDefaultTimeout(30_000);
  const measured = await Measured.open(browser, context, { cpu: Number(told.cpu), trace: told.trace });
  try {
    await journeys[journey](measured);
  } catch (error) {
    console.error(`${journey} ended early: ${error.message.split('\n')[0]}`);
    process.exitCode = 1;
  } finally {
    await context.close();
  }
  return measured.samples;
}

function print(found) {
  const names = [...new Set(found.flatMap(({ samples }) => samples.map(({ name }) => name)))];
  const columns = told.trace ? ofTrace : ['delay', 'processing', 'presentation'];
  const heads = found.map(() => ['INP', 'most', ...columns].map((head) => head.padStart(width)).join(''));
  console.log(`${'action'.padEnd(44)}${heads.join('  |')}`);
  for (const name of names) {
    const cells = found.map((at) => {
      const samples = at.samples.filter((sample) => sample.name === name);
      if (samples.length === 0) return '–'.padStart(width);
      const most = Math.max(...samples.map(({ inp }) => inp));
      const numbers = [of(samples, 'inp'), most, ...columns.map((column) => of(samples, column))];
      return numbers.map((number) => String(number).padStart(width)).join('');
    });
    console.log(name.padEnd(44) + cells.join('  |'));
  }
  for (const { origin, samples } of found) {
    const byName = new Map(names.map((name) => [name, samples.filter((sample) => sample.name === name)]));
    const taken = names.filter((name) => byName.get(name).length > 0);
    const above = taken.filter((name) => of(byName.get(name), 'inp') > limit);
    console.log(`${origin}: ${taken.length} actions, above ${limit} ms: ${above.length} ${above.join('; ')}`);
  }
}

const prepared = given.length > 0 ? undefined : await Shop.prepare(orders);
const shop = prepared && (await Shop.open(prepared));
const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const found = (shop ? [shop.origin] : given).map((origin) => ({ origin, samples: [] }));
  const before = load();
  const chosen = Object.keys(journeys).filter((name) => !told.only || told.only.split(',').includes(name));
  for (const journey of chosen)
    for (let run = 0; run < runs; run++)
      for (const at of found) {
        at.samples.push(...(await samplesOf(browser, at.origin, journey)));
        console.error(`${journey} ${run + 1}/${runs}: ${at.samples.length} actions so far`);
      }
  console.log(
    `milliseconds, medians of ${runs} runs, processor ${told.cpu} times slower; load ${before} to ${load()}`,
  );
  print(found);
} finally {
  await browser.close();
  await shop?.close();
  if (prepared) await rm(prepared, { recursive: true, force: true });
}
