import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const web = join(import.meta.dirname, '../..');
const files = ['kit', 'shop', 'staff'].flatMap((part) =>
  readdirSync(join(web, part), { recursive: true, encoding: 'utf8' }).map((file) => join(part, file)),
);
const read = (ending: string) =>
  files
    .filter((file) => file.endsWith(ending))
    .map((file) => ({ file, text: readFileSync(join(web, file), 'utf8') }));

test('every custom property that a style uses without a substitute is set somewhere', () => {
  const styles = read('.css');
  const all = [...styles, ...read('.tsx'), ...read('.ts')].map(({ text }) => text).join('\n');
  const set = new Set(
    [...all.matchAll(/(--[\w-]+)['"`\]]*\s*:|setProperty\(\s*'(--[\w-]+)'/g)].map(([, a, b]) => a ?? b),
  );
  const lacking = styles.flatMap(({ file, text }) =>
    [...text.matchAll(/var\((--[\w-]+)\)/g)]
      .filter(([, name]) => !set.has(name))
      .map(([, name]) => `${file}: ${name}`),
  );
  expect(styles.length).toBeGreaterThan(50);
  expect(lacking).toEqual([]);
});
