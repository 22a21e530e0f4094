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

/** Who may import whom; beside itself and packages. */
const may: Record<string, string[]> = { kit: [], shop: ['kit'], staff: ['kit'] };

const zoneOf = (path: string) => path.split('/')[0] as string;

test('the kit imports neither app, and the apps import the kit alone', () => {
  const wrong = Object.entries(may).flatMap(([zone, others]) =>
    sources(zone).flatMap((file) =>
      importsOf(file)
        .filter((to) => zoneOf(to) in may && ![zone, ...others].includes(zoneOf(to)))
        .map((to) => `${file} imports ${to}`),
    ),
  );
  expect(wrong).toEqual([]);
});

test('the sections of the staff app do not import each other', () => {
  const sections = ['operations', 'analytics', 'office'];
  const sectionOf = (path: string) => sections.find((one) => path.startsWith(`staff/${one}/`));
  const wrong = sources('staff').flatMap((file) =>
    importsOf(file)
      .filter((to) => sectionOf(file) && sectionOf(to) && sectionOf(file) !== sectionOf(to))
      .map((to) => `${file} imports ${to}`),
  );
  expect(wrong).toEqual([]);
});

test('colours are named only by the tokens', () => {
  const wrong = ['kit', 'staff']
    .flatMap(sources)
    .filter((file) => file.endsWith('.css') && file !== 'kit/design/tokens.css')
    .flatMap((file) =>
      [...readFileSync(join(web, file), 'utf8').matchAll(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/gi)].map(
        ([colour]) => `${file}: ${colour}`,
      ),
    );
  expect(wrong).toEqual([]);
});

/** Words after a tag's end, up to the next tag or value. A comparison has a space around its mark, an arrow a =. */
const between = /(?:(?<![=\s])|(?<=^\s*))>(?! )\s*([^<>{}]*\p{L}[^<>{}]*?)\s*(?=[<{])/gmu;
/** Attributes that are read or seen. */
const attribute =
  /\b(?:title|lead|label|aria-label|placeholder|what|caption|button|hint|alt)="[^"]*\p{L}[^"]*"/gu;
/** What follows a type in angle brackets. */
const code = /^[(),;:[\]|&.?]|[;=]|\b(?:const|return|function)\b/;

const saidIn = (text: string) => [
  ...[...text.matchAll(between)].map(([, words]) => words as string).filter((words) => !code.test(words)),
  ...[...text.matchAll(attribute)].map(([words]) => words),
];

test('hard-coded words are found', () => {
  expect(saidIn('<p>Words {count(n)}</p>')).toEqual(['Words']);
  expect(saidIn('<p>\n  Ещё слова (два).\n</p>')).toEqual(['Ещё слова (два).']);
  expect(saidIn('<Head title="Log" lead={logTexts.lead} />')).toEqual(['title="Log"']);
  expect(saidIn('const one = useState<string>();\nreturn <p>{said}</p>')).toEqual([]);
});

test('what a page of the staff says stands in its catalogues', () => {
  const wrong = sources('staff')
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => saidIn(readFileSync(join(web, file), 'utf8')).map((words) => `${file}: ${words}`));
  expect(wrong).toEqual([]);
});
