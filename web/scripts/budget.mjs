// Checks what a visitor downloads before a page works: minified, brotli, in KB of 1024 bytes.
// Run after a build; exits 1 when a budget is broken.
import { existsSync, readFileSync } from 'node:fs';

const dist = new URL('../dist/', import.meta.url);
const manifestOf = (name) => JSON.parse(readFileSync(new URL(`.vite/${name}.json`, dist), 'utf8'));
const storefront = manifestOf('manifest');
const staff = manifestOf('staff-manifest');
/** What travels: a file that brotli makes no smaller goes as it is. */
const size = (file) => {
  const small = new URL(`${file}.br`, dist);
  return readFileSync(existsSync(small) ? small : new URL(file, dist)).length;
};

/** Every file that must be there before a module runs. */
function closure(manifest, key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const needed of manifest[key].imports ?? []) closure(manifest, needed, seen);
  return seen;
}

const budgets = [
  {
    name: 'home, first JavaScript',
    manifest: storefront,
    entry: 'index.html',
    routes: ['shop/routes/home.tsx'],
    limit: 110,
  },
  {
    name: 'product, first JavaScript',
    manifest: storefront,
    entry: 'index.html',
    routes: ['shop/routes/product.tsx'],
    limit: 90,
  },
  {
    name: 'office, first screen with HTML and CSS',
    manifest: staff,
    entry: 'staff.html',
    routes: ['staff/office/office.tsx'],
    also: ['staff.html', staff['style.css'].file],
    limit: 110,
  },
  {
    name: 'operations, first JavaScript',
    manifest: staff,
    entry: 'staff.html',
    routes: ['staff/operations/operations.tsx'],
    limit: 110,
  },
  {
    name: 'analytics, first JavaScript',
    manifest: staff,
    entry: 'staff.html',
    routes: ['staff/analytics/analytics.tsx'],
    limit: 110,
  },
];
const rows = budgets.map(({ name, manifest, entry, routes = [], also = [], limit }) => {
  const files = new Set(
    [entry, ...routes].flatMap((key) => [...closure(manifest, key)]).map((key) => manifest[key].file),
  );
  for (const file of also) files.add(file);
  return { name, bytes: [...files].reduce((sum, file) => sum + size(file), 0), limit };
});
for (const [key, chunk] of [...Object.entries(storefront), ...Object.entries(staff)]) {
  if (chunk.isDynamicEntry) rows.push({ name: `chunk ${key}`, bytes: size(chunk.file), limit: 40 });
}

let broken = false;
for (const { name, bytes, limit } of rows) {
  const over = bytes > limit * 1024;
  broken ||= over;
  console.log(
    `${over ? 'OVER' : 'ok  '} ${name.padEnd(48)} ${(bytes / 1024).toFixed(1).padStart(6)} of ${limit} KB`,
  );
}
process.exit(broken ? 1 : 0);
