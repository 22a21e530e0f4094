// Makes the hero's AVIF and WebP files from rendered masters:
//   node scripts/hero.mjs hero.png hero_m.png
// The first is the wide picture, the second the narrow one.
import sharp from 'sharp';

const [wide, narrow] = process.argv.slice(2);
if (!wide || !narrow) {
  console.error('usage: node scripts/hero.mjs WIDE.png NARROW.png');
  process.exit(2);
}
const folder = new URL('../shop/routes/hero/', import.meta.url).pathname;
const jobs = [
  [wide, 'wide', 1200],
  [wide, 'wide', 1600],
  [narrow, 'narrow', 480],
  [narrow, 'narrow', 800],
];
for (const [file, name, width] of jobs) {
  const picture = sharp(file).resize({ width });
  await picture
    .clone()
    .avif({ quality: 58, effort: 6, chromaSubsampling: '4:2:0' })
    .toFile(`${folder}${name}-${width}.avif`);
  await picture.clone().webp({ quality: 78, effort: 6 }).toFile(`${folder}${name}-${width}.webp`);
}
