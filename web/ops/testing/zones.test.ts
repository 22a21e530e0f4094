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

test('the operators’ page takes only the design and what an answer is from the storefront', () => {
  const wrong = sources('ops').flatMap((file) =>
    importsOf(file)
      .filter((to) => to.startsWith('src/') && !to.startsWith('src/design/') && to !== 'src/api/problem')
      .map((to) => `${file} imports ${to}`),
  );
  expect(wrong).toEqual([]);
});

test('the storefront never imports the operators’ page', () => {
  const wrong = sources('src').flatMap((file) =>
    importsOf(file)
      .filter((to) => to.startsWith('ops'))
      .map((to) => `${file} imports ${to}`),
  );
  expect(wrong).toEqual([]);
});

test('colours are named only by the tokens', () => {
  const wrong = sources('ops')
    .filter((file) => file.endsWith('.css'))
    .flatMap((file) =>
      [...readFileSync(join(web, file), 'utf8').matchAll(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/gi)].map(
        ([colour]) => `${file}: ${colour}`,
      ),
    );
  expect(wrong).toEqual([]);
});
