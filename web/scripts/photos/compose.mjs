// Photographs the goods of shelf.json: prints and colours the packages that studio/passes.py rendered blank, so that a
// few dozen renderings serve all of them.
//
//   node scripts/photos/compose.mjs FOLDER [NAME…]
//
// FOLDER receives <name>.png and, of a third of the goods, a second view from nearby, <name>-2.png. Sets that are
// missing in FOLDER/sets are rendered first.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { drawLabels } from './labels.mjs';
import { sets, shelf, sizes } from './plan.mjs';

const [WIDTH, HEIGHT] = [640, 800];
/** The fine passes are twice as wide as the picture, the coarse half as wide. */
const [W, H, TIMES] = [2 * WIDTH, 2 * HEIGHT, 4];
const [CW, CH] = [W / TIMES, H / TIMES];
/** The parts that bodies.py numbers, from 1 on. */
const parts = ['', 'shell', 'cap', 'collar', 'label', 'inside', 'backdrop', 'stone'];
const [SHELL, COLLAR, LABEL] = [1, 3, 4];
/** How bright the neutral glass of a set is, which its light has passed once more than its colour tells. */
const NEUTRAL = 0.546;
const [STEPS, STOPS_BELOW, STOPS] = [48, 10, 16.5];

const floats = (file) => {
  const bytes = readFileSync(file);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
};

const linear = (channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
const byte = Float32Array.from({ length: 256 }, (_, i) => linear(i / 255));

/** A material's colour in linear light; null for wood, which keeps that of the rendering. */
function colour(look) {
  if (!look || look === 'wood') return null;
  const hex = look === 'metal' ? '#d9d6cf' : look.split(' ').at(-1);
  return [1, 3, 5].map((at) => byte[Number.parseInt(hex.slice(at, at + 2), 16)]);
}

/** The light of a set at the size of its fine passes: it follows their edges by joint bilateral upsampling. */
function lightOf(coarse, fine) {
  const light = new Float32Array(W * H * 9);
  const sum = new Float64Array(9);
  for (let y = 0; y < H; y++) {
    for (let x = 0; x < W; x++) {
      const at = (y * W + x) * 9;
      const [cx, cy] = [(x + 0.5) / TIMES - 0.5, (y + 0.5) / TIMES - 0.5];
      const [left, bottom] = [Math.round(cx) - 1, Math.round(cy) - 1];
      sum.fill(0);
      let weights = 0;
      for (let j = bottom; j < bottom + 3; j++) {
        for (let i = left; i < left + 3; i++) {
          const from = (Math.min(Math.max(j, 0), CH - 1) * CW + Math.min(Math.max(i, 0), CW - 1)) * 13;
          const bent =
            (coarse[from + 9] - fine[at]) ** 2 +
            (coarse[from + 10] - fine[at + 1]) ** 2 +
            (coarse[from + 11] - fine[at + 2]) ** 2;
          const other = coarse[from + 12] === fine[at + 3] ? 0 : 9;
          const weight = Math.exp(-(((i - cx) ** 2 + (j - cy) ** 2) / 0.5 + bent / 0.06 + other)) + 1e-9;
          for (let k = 0; k < 9; k++) sum[k] += weight * coarse[from + k];
          weights += weight;
        }
      }
      for (let k = 0; k < 9; k++) light[at + k] = Math.expm1(sum[k] / weights);
    }
  }
  return light;
}

/** Blender's film: what a linear colour looks like, in sRGB from 0 to 255. */
function film(cube) {
  const place = (value) => {
    const stop = ((Math.log2(Math.max(value, 1e-6) / 0.18) + STOPS_BELOW) / STOPS) * (STEPS - 1);
    return Math.min(Math.max(stop, 0), STEPS - 1.0001);
  };
  return (pixel, r, g, b) => {
    const [pr, pg, pb] = [place(r), place(g), place(b)];
    const [r0, g0, b0] = [Math.floor(pr), Math.floor(pg), Math.floor(pb)];
    const [fr, fg, fb] = [pr - r0, pg - g0, pb - b0];
    for (let k = 0; k < 3; k++) {
      let value = 0;
      for (let corner = 0; corner < 8; corner++) {
        const [dr, dg, db] = [corner & 1, (corner >> 1) & 1, corner >> 2];
        const weight = (dr ? fr : 1 - fr) * (dg ? fg : 1 - fg) * (db ? fb : 1 - fb);
        value += weight * cube[(((b0 + db) * STEPS + g0 + dg) * STEPS + r0 + dr) * 3 + k];
      }
      pixel[k] = value * 255;
    }
  };
}

/** A product of the set, coloured and printed, as bytes of W × H from the top. */
async function picture(shot, shell, fine, light, develop) {
  const { data: print, info } = await sharp(shot.label)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const colours = parts.map((part) => colour(shot[part]));
  const out = Buffer.alloc(W * H * 3);
  const [own, pixel] = [new Float32Array(3), new Float32Array(3)];
  for (let y = 0; y < H; y++) {
    for (let x = 0; x < W; x++) {
      const at = (y * W + x) * 9;
      const part = fine[at + 3];
      if (part === LABEL)
        printed(own, print, info, shot.mirrored ? 1 - fine[at + 4] : fine[at + 4], fine[at + 5]);
      else own.set(colours[part] ?? [fine[at + 6], fine[at + 7], fine[at + 8]]);
      const metallic = part === COLLAR || (part === SHELL && shell === 'metal');
      const clear = part === SHELL && (shell === 'glass' || shell === 'frost');
      for (let k = 0; k < 3; k++) {
        const diffuse = clear ? 0.08 * own[k] * light[at + k] : metallic ? 0 : own[k] * light[at + k];
        const glossy = light[at + 3 + k] * (metallic ? own[k] : 1);
        const through = clear ? ((0.92 * own[k] * own[k]) / NEUTRAL) * light[at + 6 + k] : 0;
        own[k] = diffuse + glossy + through;
      }
      develop(pixel, own[0], own[1], own[2]);
      const to = ((H - 1 - y) * W + (shot.mirrored ? W - 1 - x : x)) * 3;
      out[to] = pixel[0];
      out[to + 1] = pixel[1];
      out[to + 2] = pixel[2];
    }
  }
  return out;
}

/** The colour of a label at a place of it, between its pixels. */
function printed(own, print, { width, height }, u, v) {
  const x = Math.min(Math.max(u * width - 0.5, 0), width - 1.001);
  const y = Math.min(Math.max((1 - v) * height - 0.5, 0), height - 1.001);
  const [x0, y0] = [Math.floor(x), Math.floor(y)];
  const [fx, fy] = [x - x0, y - y0];
  for (let k = 0; k < 3; k++) {
    const from = (y0 * width + x0) * 3 + k;
    const above = byte[print[from]] * (1 - fx) + byte[print[from + 3]] * fx;
    const below = byte[print[from + width * 3]] * (1 - fx) + byte[print[from + width * 3 + 3]] * fx;
    own[k] = above * (1 - fy) + below * fy;
  }
}

/** Where the print is, from the top: the second view looks at it from nearby. */
function nearby(fine, mirrored) {
  let [left, right, top, bottom] = [W, 0, 0, H];
  for (let y = 0; y < H; y++) {
    for (let x = 0; x < W; x++) {
      if (fine[(y * W + x) * 9 + 3] !== LABEL) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.max(top, y);
      bottom = Math.min(bottom, y);
    }
  }
  const width = Math.round(Math.min(W * 0.72, Math.max(W * 0.52, (right - left) * 1.02)));
  const height = Math.round((width * HEIGHT) / WIDTH);
  const middle = mirrored ? W - (left + right) / 2 : (left + right) / 2;
  const [x, y] = [middle - width * 0.56, H - (top + bottom) / 2 - height * 0.56];
  return {
    left: Math.round(Math.min(Math.max(x, 0), W - width)),
    top: Math.round(Math.min(Math.max(y, 0), H - height)),
    width,
    height,
  };
}

async function main([target, ...names]) {
  if (!target) {
    console.error('usage: node scripts/photos/compose.mjs FOLDER [NAME…]');
    process.exit(2);
  }
  const folder = resolve(target);
  const [rendered, work] = [join(folder, 'sets'), join(folder, 'work')];
  for (const needed of [rendered, work]) mkdirSync(needed, { recursive: true });
  const wanted = shelf().filter(({ name }) =>
    names.length > 0 ? names.includes(name) : !existsSync(join(folder, `${name}.png`)),
  );
  const missing = sets.filter(
    ({ name }) => wanted.some(({ set }) => set === name) && !existsSync(join(rendered, `${name}.fine`)),
  );
  if (missing.length > 0) {
    const planned = join(rendered, 'plan.json');
    writeFileSync(planned, JSON.stringify({ sets: missing, sizes }));
    const studio = fileURLToPath(new URL('studio/passes.py', import.meta.url));
    const { status } = spawnSync(
      'blender',
      ['-b', '--python-exit-code', '1', '-P', studio, '--', planned, rendered],
      {
        stdio: 'inherit',
      },
    );
    if (status !== 0) process.exit(1);
  }
  for (const shot of wanted) shot.label = join(work, `${shot.name}.png`);
  await drawLabels(wanted, join(work, 'citrus.png'));
  const develop = film(floats(join(rendered, 'filmic.f32')));
  for (const { name: set, shell } of sets) {
    const goods = wanted.filter((shot) => shot.set === set);
    if (goods.length === 0) continue;
    const fine = floats(join(rendered, `${set}.fine`));
    const light = lightOf(floats(join(rendered, `${set}.coarse`)), fine);
    for (const shot of goods) {
      const raw = { raw: { width: W, height: H, channels: 3 } };
      const pixels = await picture(shot, shell, fine, light, develop);
      await sharp(pixels, raw)
        .resize({ width: WIDTH })
        .png()
        .toFile(join(folder, `${shot.name}.png`));
      if (shot.twice) {
        const near = sharp(pixels, raw).extract(nearby(fine, shot.mirrored)).resize({ width: WIDTH });
        await near.png().toFile(join(folder, `${shot.name}-2.png`));
      }
      console.log(shot.name);
    }
  }
}

await main(process.argv.slice(2));
