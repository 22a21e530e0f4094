import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { expect, test } from 'vitest';

const src = join(import.meta.dirname, '..');

/** What each folder may import, beside itself and packages. */
const may: Record<string, string[]> = {
  app: ['routes', 'features', 'design', 'api', 'texts'],
  routes: ['features', 'design', 'api', 'texts'],
  features: ['design', 'api', 'texts'],
  design: ['texts'],
  api: [],
  texts: [],
};

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.tsx?$/.test(name) && !name.includes('.test.') && !name.startsWith('testing'),
);

const importsOf = (file: string): string[] =>
  [...readFileSync(join(src, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path]) =>
    relative(src, normalize(join(src, dirname(file), path as string))),
  );

test('imports follow app > routes > features > design, api > texts', () => {
  const wrong = files.flatMap((file) => {
    const zone = file.split('/')[0] as string;
    const allowed = may[zone];
    if (!allowed) return []; // main.tsx starts everything.
    return importsOf(file)
      .filter((target) => target.includes('/') && !target.startsWith('../kit/'))
      .map((target) => ({ target, to: target.split('/')[0] as string }))
      .filter(({ to }) => to !== zone && !allowed.includes(to))
      .map(
        ({ target }) =>
          `${file} imports ${target}: ${zone} may import ${allowed.join(', ') || 'nothing of ours'}`,
      );
  });
  expect(wrong).toEqual([]);
});

test('routes and features do not import each other in circles', () => {
  const feature = (path: string) => path.split('/').slice(0, 2).join('/');
  const edges = new Map<string, Set<string>>();
  for (const file of files.filter((name) => name.startsWith('features/'))) {
    const from = feature(file);
    const targets = importsOf(file).filter((target) => target.startsWith('features/'));
    edges.set(
      from,
      new Set([...(edges.get(from) ?? []), ...targets.map(feature).filter((target) => target !== from)]),
    );
  }
  const circles: string[] = [];
  const walk = (at: string, path: string[]) => {
    if (path.includes(at)) {
      circles.push([...path.slice(path.indexOf(at)), at].join(' > '));
      return;
    }
    for (const next of edges.get(at) ?? []) walk(next, [...path, at]);
  };
  for (const from of edges.keys()) walk(from, []);
  expect(circles).toEqual([]);
});

test('colours are named only by the tokens', () => {
  const styles = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.css') && name !== 'design/tokens.css',
  );
  const wrong = styles.flatMap((name) =>
    [...readFileSync(join(src, name), 'utf8').matchAll(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/gi)].map(
      ([colour]) => `${name}: ${colour}`,
    ),
  );
  expect(wrong).toEqual([]);
});
