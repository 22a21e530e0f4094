import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { expect, test } from 'vitest';

const web = join(import.meta.dirname, '../..');
const sources = (folder: string) =>
  readdirSync(join(web, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|css)$/.test(name) && !name.includes('.test.') && !name.startsWith('testing'))
    .map((name) => `${folder}/${name}`);
const importsOf = (file: string) =>
  [...readFileSync(join(web, file), 'utf8').matchAll(/(?:from|import|import\()\s*'(\.[^']+)'/g)].map(
    ([, path]) => relative(web, normalize(join(web, dirname(file), path as string))),
  );

/** What each page of the staff may import of ours, beside itself and the design. */
const may: Record<string, string[]> = { ops: ['staff'], analytics: ['staff'], staff: [] };

test('the staff’s pages take the design from the storefront, and from each other what lies in staff', () => {
  const wrong = Object.entries(may).flatMap(([folder, others]) =>
    sources(folder).flatMap((file) =>
      importsOf(file)
        .filter((to) => !to.startsWith('src/design/') && to !== 'src/api/problem')
        .filter((to) => ![folder, ...others].includes(to.split('/')[0] as string))
        .map((to) => `${file} imports ${to}`),
    ),
  );
  expect(wrong).toEqual([]);
});

test('the storefront never imports the staff’s pages', () => {
  const wrong = sources('src').flatMap((file) =>
    importsOf(file)
      .filter((to) => (to.split('/')[0] as string) in may)
      .map((to) => `${file} imports ${to}`),
  );
  expect(wrong).toEqual([]);
});

test('colours are named only by the tokens', () => {
  const wrong = Object.keys(may)
    .flatMap(sources)
    .filter((file) => file.endsWith('.css'))
    .flatMap((file) =>
      [...readFileSync(join(web, file), 'utf8').matchAll(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/gi)].map(
        ([colour]) => `${file}: ${colour}`,
      ),
    );
  expect(wrong).toEqual([]);
});
