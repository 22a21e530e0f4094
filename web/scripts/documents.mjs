// Prints web/documents/*.html to the PDF files that the storefront links: node scripts/documents.mjs
import { readdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { chromium } from 'playwright-core';

const from = new URL('../documents/', import.meta.url);
const to = new URL('../public/', import.meta.url);
const limit = 100 * 1024;

const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage();
for (const name of (await readdir(from)).filter((file) => file.endsWith('.html'))) {
  await page.goto(new URL(name, from).href);
  await page.evaluate(() => document.fonts.ready);
  const path = new URL(`${basename(name, '.html')}.pdf`, to).pathname;
  await page.pdf({ path, preferCSSPageSize: true, printBackground: true, tagged: true });
  const { size } = await stat(path);
  console.log(`${path}: ${(size / 1024).toFixed(0)} KiB`);
  if (size > limit) process.exitCode = 1;
}
await browser.close();
