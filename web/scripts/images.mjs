// Makes the committed pictures: AVIF and WebP in the widths the storefront asks for, and a manifest of them.
//
//   node scripts/images.mjs FOLDER     FOLDER holds the PNG masters, named <slug>.png, <slug>-2.png, hero.png, …
//
// A picture is known by its path without width and extension: /img/products/<slug>.
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const masters = process.argv[2];
if (!masters) {
  console.error('usage: node scripts/images.mjs FOLDER');
  process.exit(2);
}
const out = fileURLToPath(new URL('../public/img/', import.meta.url));
const encoders = [
  {
    type: 'image/avif',
    ext: 'avif',
    encode: (image, quality) => image.avif({ quality, effort: 7, chromaSubsampling: '4:2:0' }),
  },
  {
    type: 'image/webp',
    ext: 'webp',
    encode: (image, quality) => image.webp({ quality: quality + 18, effort: 6, smartSubsample: true }),
  },
];
const kinds = {
  hero: { folder: 'hero', widths: [800, 1200, 1600], quality: 64 },
  hero_m: { folder: 'hero', widths: [480, 800], quality: 64 },
  product: { folder: 'products', widths: [240, 360, 480, 640, 880], quality: 66 },
};

rmSync(out, { recursive: true, force: true });
const manifest = {};
let bytes = 0;
for (const file of readdirSync(masters)
  .filter((f) => f.endsWith('.png'))
  .sort()) {
  const name = basename(file, '.png');
  const { folder, widths, quality } = kinds[name] ?? kinds.product;
  const master = await sharp(join(masters, file)).metadata();
  const fitting = widths.filter((w) => w <= master.width);
  const path = `/img/${folder}/${name.replaceAll('_', '-')}`;
  mkdirSync(join(out, folder), { recursive: true });
  const sources = [];
  for (const { type, ext, encode } of encoders) {
    const srcset = [];
    for (const width of fitting) {
      const target = join(out, '..', `${path}-${width}.${ext}`);
      await encode(sharp(join(masters, file)).resize({ width }), quality).toFile(target);
      bytes += statSync(target).size;
      srcset.push(`${path}-${width}.${ext} ${width}w`);
    }
    sources.push({ type, srcset: srcset.join(', ') });
  }
  const width = fitting.at(-1);
  manifest[path] = {
    src: `${path}-${width}.webp`,
    width,
    height: Math.round((width * master.height) / master.width),
    sources,
  };
}
// For whoever looks at the pictures from outside, and for the demo catalog, which links them.
for (const target of [
  join(out, 'manifest.json'),
  fileURLToPath(new URL('../../cmd/shop/demo/pictures.json', import.meta.url)),
]) {
  writeFileSync(target, `${JSON.stringify(manifest, null, 2)}\n`);
}
console.log(`${Object.keys(manifest).length} pictures, ${(bytes / 1024).toFixed(0)} KiB`);
