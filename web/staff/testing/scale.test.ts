import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const web = join(import.meta.dirname, '../..');
const styles = ['staff', 'kit/table'].flatMap((folder) =>
  readdirSync(join(web, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.css'))
    .map((name) => `${folder}/${name}`),
);
const found = (pattern: RegExp) =>
  styles.flatMap((file) =>
    [...readFileSync(join(web, file), 'utf8').matchAll(pattern)].map(([said]) => `${file}: ${said}`),
  );

test('sizes of type are named by the scale of kit/design/scale.css', () => {
  expect(found(/\bfont(?:-size)?:[^;]*\d(?:px|rem|em|vw)[^;]*/g)).toEqual([]);
});

test('layouts change at the five widths of kit/design/scale.css', () => {
  const widths = [480, 600, 700, 900, 1024];
  const allowed = new Set([
    ...widths.map((width) => `max-width: ${width - 1}px`),
    ...widths.map((width) => `min-width: ${width}px`),
  ]);
  const wrong = found(/(?:min|max)-width: [^)]+/g).filter(
    (one) => !allowed.has(one.split(': ').slice(1).join(': ')),
  );
  expect(wrong).toEqual([]);
});
