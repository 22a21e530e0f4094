// Makes the committed pictures: AVIF and WebP in the widths the storefront asks for, and a manifest of them.
//
//   node scripts/images.mjs FOLDER     FOLDER holds PNG masters, named as in photos/shots.json
//
// A picture is known by its path without width and extension: /img/products/<name>. Pictures without a master in the
// folder stay as they are. The brands' logos are drawn by photos/logos.py and only listed.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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
    encode: (image, { quality }) => image.avif({ quality, effort: 4, chromaSubsampling: '4:2:0' }),
  },
  {
    type: 'image/webp',
    ext: 'webp',
    encode: (image, { quality, webp = quality + 18 }) =>
      image.webp({ quality: webp, effort: 6, smartSubsample: true }),
  },
];
const product = { folder: 'products', widths: [240, 360, 480, 640, 880], quality: 66 };
/** Which pictures are no products, by the beginning of their names. */
const kinds = [
  [/^hero$/, { folder: 'hero', widths: [800, 1200, 1600], quality: 64 }],
  // Banners are shown as their WebP alone, two of them before anybody scrolls.
  [/^(hero_m$|banner-)/, { folder: 'hero', widths: [480, 800], quality: 64, webp: 74 }],
  [/^post-/, { folder: 'posts', widths: [480, 720, 960], quality: 64 }],
  [/^category-/, { folder: 'categories', widths: [360, 480, 720, 960], quality: 64 }],
  [/^brand-/, { folder: 'brands', widths: [480, 720, 960], quality: 64 }],
];

const manifestFile = join(out, 'manifest.json');
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
const made = readdirSync(masters).filter((file) => file.endsWith('.png'));
for (const file of made.sort()) {
  const name = basename(file, '.png');
  const kind = kinds.find(([pattern]) => pattern.test(name))?.[1] ?? product;
  const { folder, widths } = kind;
  const master = await sharp(join(masters, file)).metadata();
  const fitting = widths.filter((w) => w <= master.width);
  const path = `/img/${folder}/${name.replace(/^(post|brand|category)-/, '').replaceAll('_', '-')}`;
  mkdirSync(join(out, folder), { recursive: true });
  const sources = [];
  for (const { type, ext, encode } of encoders) {
    const srcset = [];
    for (const width of fitting) {
      const variant = `${path}-${width}.${ext}`;
      await encode(sharp(join(masters, file)).resize({ width }), kind).toFile(join(out, '..', variant));
      srcset.push(`${variant} ${width}w`);
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
for (const file of readdirSync(join(out, 'logos'))) {
  const path = `/img/logos/${basename(file, '.svg')}`;
  const { width, height } = await sharp(join(out, 'logos', file)).metadata();
  manifest[path] = { src: `${path}.svg`, width, height, sources: [] };
}
const sorted = Object.fromEntries(Object.entries(manifest).sort(([a], [b]) => (a < b ? -1 : 1)));
// For whoever looks at the pictures from outside, and for the program, whose catalog files, texts and demo link them.
for (const target of [
  manifestFile,
  fileURLToPath(new URL('../../cmd/shop/images/pictures.json', import.meta.url)),
]) {
  writeFileSync(target, `${JSON.stringify(sorted, null, 2)}\n`);
}
const bytes = readdirSync(out, { recursive: true })
  .map((file) => statSync(join(out, file)))
  .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
console.log(
  `${made.length} pictures made, ${Object.keys(sorted).length} in all, ${(bytes / 1024).toFixed(0)} KiB`,
);
