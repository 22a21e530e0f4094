import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const web = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(web, file), 'utf8');
const files = (ending: RegExp) =>
  ['kit', 'shop', 'staff'].flatMap((folder) =>
    readdirSync(join(web, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => ending.test(name) && !name.includes('.test.'))
      .map((name) => `${folder}/${name}`),
  );

const breakpoints = 'kit/design/breakpoints.css';
const styles = files(/\.css$/).filter((file) => file !== breakpoints);

/** The part of a font declaration that is the size: the line height after the slash may be a number. */
const sizeIn = (declaration: string) => declaration.split('/')[0] as string;

test('sizes of type are named by kit/design/scale.css', () => {
  const wrong = styles.flatMap((file) =>
    [...read(file).matchAll(/\bfont(?:-size)?:[^;]+/g)]
      .map(([declaration]) => declaration)
      .filter((declaration) => /\d(?:px|rem|em|vw|cqi|%)/.test(sizeIn(declaration)))
      .map((declaration) => `${file}: ${declaration}`),
  );
  expect(wrong).toEqual([]);
});

test('text grows with the font size that a browser is set to', () => {
  const scale = read('kit/design/scale.css').replace(/--wordmark[\w-]*:[^;]+;/g, '');
  expect(scale.match(/[^\n]*\dpx[^\n]*/g) ?? []).toEqual([]);
  expect(read(breakpoints).match(/\dpx\)/g) ?? []).toEqual([]);
  const heights = styles.flatMap((file) =>
    [...read(file).matchAll(/\b(?:line-height:|font:[^;]*\/)[^;]*\dpx[^;]*/g)].map(
      ([line]) => `${file}: ${line}`,
    ),
  );
  expect(heights).toEqual([]);
});

test('widths in media queries are named by kit/design/breakpoints.css', () => {
  const wrong = styles.flatMap((file) =>
    [...read(file).matchAll(/@media[^{]+/g)]
      .map(([query]) => query)
      .filter((query) => /width/.test(query))
      .map((query) => `${file}: ${query}`),
  );
  expect(wrong).toEqual([]);
});

test('five widths have names, whether a layout begins or ends there', () => {
  const widths = [...read(breakpoints).matchAll(/width (?:>=|<) ([\d.]+)em/g)].map(([, width]) => width);
  expect(widths).toHaveLength([...read(breakpoints).matchAll(/@custom-media/g)].length);
  expect(new Set(widths).size).toBeLessThanOrEqual(5);
});

test('names of widths and sizes are those that exist', () => {
  const names = new Set([...read(breakpoints).matchAll(/@custom-media (--[\w-]+)/g)].map(([, name]) => name));
  const sizes = new Set(
    [...read('kit/design/scale.css').matchAll(/^ {2}(--[\w-]+):/gm)].map(([, name]) => name),
  );
  const wrong = styles.flatMap((file) => {
    const text = read(file);
    const used = [...text.matchAll(/@media[^{]+/g)].flatMap(([query]) => query.match(/--[\w-]+/g) ?? []);
    const fonts = [...text.matchAll(/var\((--(?:text|heading|wordmark)-?[\w-]*)\)/g)].map(([, name]) => name);
    return [...used.filter((name) => !names.has(name)), ...fonts.filter((name) => !sizes.has(name))].map(
      (name) => `${file}: ${name}`,
    );
  });
  expect(wrong).toEqual([]);
});

/** Scripts and the sizes of pictures cannot use the names, so they repeat the widths. */
test('widths in scripts are those of kit/design/breakpoints.css', () => {
  const known = new Set(read(breakpoints).match(/\(width [^)]+\)/g));
  const wrong = files(/\.tsx?$/).flatMap((file) =>
    [...read(file).matchAll(/\((?:(?:min|max)-)?width\b[:\s<>=]+[\d.]+\w+\)/g)]
      .map(([width]) => width)
      .filter((width) => !known.has(width))
      .map((width) => `${file}: ${width}`),
  );
  expect(wrong).toEqual([]);
});
