// Photographs the demo's goods: draws their labels, then has Blender take the pictures that are missing.
//
//   node scripts/photos/render.mjs FOLDER [NAME…]
//
// FOLDER receives <name>.png. Pictures that are there already stay, unless they are named.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawLabels } from './labels.mjs';
import { packages, plan, sizes } from './plan.mjs';

const [target, ...names] = process.argv.slice(2);
if (!target) {
  console.error('usage: node scripts/photos/render.mjs FOLDER [NAME…]');
  process.exit(2);
}
const folder = resolve(target);
const work = join(folder, 'work');
mkdirSync(work, { recursive: true });

const all = plan();
const unknown = names.filter((name) => !all.some((shot) => shot.name === name));
if (unknown.length > 0) {
  console.error(`no such picture: ${unknown.join(', ')}`);
  process.exit(2);
}
const wanted = all.filter(({ name }) =>
  names.length > 0 ? names.includes(name) : !existsSync(join(folder, `${name}.png`)),
);
for (const shot of wanted) {
  for (const [at, pack] of packages(shot).entries()) pack.label = join(work, `${shot.name}-${at}.png`);
}
const citrus = join(work, 'citrus.png');
await drawLabels(wanted.flatMap(packages), citrus);
const planned = join(work, `plan-${process.pid}.json`);
writeFileSync(planned, JSON.stringify({ sizes, citrus, shots: wanted }));

const studio = fileURLToPath(new URL('studio/shoot.py', import.meta.url));
let failed = 0;
for (const { name } of wanted) {
  const began = Date.now();
  const out = join(folder, `${name}.png`);
  const blender = spawnSync(
    'blender',
    ['-b', '--python-exit-code', '1', '-P', studio, '--', planned, name, out],
    { encoding: 'utf8' },
  );
  const seconds = ((Date.now() - began) / 1000).toFixed(0);
  console.log(`${name}: ${blender.status === 0 ? `${seconds} s` : 'failed'}`);
  if (blender.status !== 0) {
    failed++;
    console.error(blender.error ?? `${blender.stdout}${blender.stderr}`);
  }
}
process.exit(failed > 0 ? 1 : 0);
