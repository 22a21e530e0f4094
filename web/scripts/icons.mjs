// Makes the icons of the installed shop from public/favicon.svg: node scripts/icons.mjs
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';

const folder = new URL('../public/', import.meta.url).pathname;
const drawing = (await readFile(`${folder}favicon.svg`, 'utf8')).replace(
  '<svg ',
  '<svg width="512" height="512" ',
);
// Systems cut what is maskable, and Apple everything, to a shape of their own: colour up to the edge, the leaf well within.
const whole = drawing
  .replace('rx="18" ', '')
  .replace('<path ', '<path transform="translate(32 34) scale(.8) translate(-32 -34)" ');
const icons = [
  [drawing, 'icon-192.png', 192],
  [drawing, 'icon-512.png', 512],
  [whole, 'icon-maskable-512.png', 512],
  [whole, 'apple-touch-icon.png', 180],
];
for (const [svg, name, size] of icons) {
  await sharp(Buffer.from(svg))
    .resize(size)
    .png({ compressionLevel: 9, palette: true })
    .toFile(folder + name);
}
