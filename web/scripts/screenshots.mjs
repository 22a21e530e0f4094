// Takes the pictures of the README and of the office's pages from the built program with its demo: make screenshots
import { mkdir, rm, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { Shop } from '../e2e/shop.mjs';
import { buy, chooseCity, join, signInStaff, staffSpeak } from '../e2e/steps.mjs';

const folder = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const limit = 300 * 1024;

/** Writes a picture with at most 256 colours, which these pages hardly exceed. */
async function keep(name, shot) {
  const path = `${folder}${name}.png`;
  await sharp(shot).png({ palette: true, quality: 90, effort: 10, compressionLevel: 9 }).toFile(path);
  const { size } = await stat(path);
  console.log(`${path}: ${(size / 1024).toFixed(0)} KiB`);
  if (size > limit) process.exitCode = 1;
}

async function still(page) {
  await page.waitForLoadState('networkidle');
  await page.evaluate(() => document.fonts.ready);
}

const shot = (page) => page.screenshot({ animations: 'disabled' });

await mkdir(folder, { recursive: true });
const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const prepared = await Shop.prepare(600);
const shop = await Shop.open(prepared);
try {
  const options = { baseURL: shop.origin, locale: 'ru-RU', reducedMotion: 'reduce' };
  const wide = await browser.newPage({ ...options, viewport: { width: 1280, height: 900 } });
  await wide.goto('/');
  await still(wide);
  await keep('home-1280', await shot(wide));

  // Two phones side by side: a product, and its checkout with the price explained.
  const phone = { width: 360, height: 760 };
  const narrow = await browser.newPage({
    ...options,
    viewport: phone,
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  });
  await narrow.goto('/product/ostara-niacinamide-serum');
  await still(narrow);
  const product = await shot(narrow);
  await narrow.getByRole('button', { name: 'Добавить в корзину' }).click();
  await narrow.goto('/checkout');
  await chooseCity(narrow);
  await narrow.getByRole('radio', { name: 'Наличными при получении' }).waitFor();
  await narrow.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
  await narrow.getByText('Почему столько?').click();
  await narrow.getByRole('heading', { name: 'Ваш заказ' }).evaluate((heading) => {
    heading.closest('section').scrollIntoView({ block: 'start', behavior: 'instant' });
  });
  await still(narrow);
  const checkout = await shot(narrow);
  const gap = 48;
  const pair = await sharp({
    create: {
      width: phone.width * 4 + gap * 3,
      height: phone.height * 2 + gap * 2,
      channels: 3,
      background: '#e9edda',
    },
  })
    .composite([
      { input: product, left: gap, top: gap },
      { input: checkout, left: phone.width * 2 + gap * 2, top: gap },
    ])
    .png()
    .toBuffer();
  await keep('product-checkout-360', await sharp(pair).resize({ width: 1000 }).toBuffer());

  // The office, as a manager sees it in the morning.
  const office = await browser.newPage({ ...options, viewport: { width: 1280, height: 720 } });
  await signInStaff(office, shop, 'aliya@dala.example', 'manager', 'Projections');
  await staffSpeak(office, 'ru');
  const { waits } = await (await office.request.get('/api/staff/today/')).json();
  if (waits.length === 0) throw new Error('nothing waits today');
  for (const [name, path] of [
    ['office-today', '/admin'],
    ['office-packing', '/admin/packing?day=2099-12-31'],
    ['office-products', '/admin/products'],
    ['office-order', '/admin/orders/100001'],
  ]) {
    await office.goto(path);
    await office.getByRole('heading', { level: 1 }).waitFor();
    await office.waitForFunction(() => !document.querySelector('main [role="status"][aria-label]'));
    await office.waitForTimeout(800);
    await keep(name, await shot(office));
  }

  // The operators' page while a bulk of orders comes in.
  const staff = await browser.newPage({ ...options, viewport: { width: 1280, height: 620 } });
  await join(staff, shop, 'dana@shop.example', 'operator');
  const shopper = await browser.newPage({ ...options, viewport: { width: 1280, height: 900 } });
  const sold = await shop.product('DL-10016', 500);
  await buy(shopper, sold);
  for (let pieces = 499; pieces > 470; pieces--)
    await shop.run('stock', 'adjust', '--article', 'DL-10016', '--on-hand', String(pieces));
  await staff.waitForTimeout(2500);
  await keep('ops', await shot(staff));
} finally {
  await browser.close();
  await shop.close();
  await rm(prepared, { recursive: true, force: true });
}
