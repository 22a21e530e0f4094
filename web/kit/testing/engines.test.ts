import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

type Locked = { version?: string; engines?: { node?: string } };

const numbers = (version: string) => version.split('.').map(Number);
const compare = (a: number[], b: number[]) =>
  [0, 1, 2].map((at) => (a[at] ?? 0) - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0;

/** Whether a Node fits a range as packages write it: alternatives of comparisons that all hold. */
function accepts(range: string, node: number[]): boolean {
  return range.split('||').some((alternative) =>
    [...alternative.matchAll(/([\^~<>=]*)\s*v?(\d[\d.]*|[*x])[\dx.*-]*/g)].every(([, sign, version]) => {
      if (version === '*' || version === 'x') return true;
      const bound = numbers((version as string).replace(/\.+$/, ''));
      const difference = compare(node, bound);
      if (sign === '>=') return difference >= 0;
      if (sign === '>') return difference > 0;
      if (sign === '<=') return difference <= 0;
      if (sign === '<') return difference < 0;
      if (sign === '^') return difference >= 0 && node[0] === bound[0];
      if (sign === '~') return difference >= 0 && node[0] === bound[0] && node[1] === (bound[1] ?? node[1]);
      return bound.every((part, at) => node[at] === part);
    }),
  );
}

test('ranges are read as npm reads them', () => {
  for (const range of ['>=18', '^20.19.0 || >=22.12.0', '>= 10.12 < 25', '*', '20.x', '20', '^18 || ^20']) {
    expect(accepts(range, [20, 19, 0]), range).toBe(true);
  }
  for (const range of ['>=22.22.0', '^22.12.0 || ^24.0.0', '^18', '<20', '>=20.19.1', '21.x']) {
    expect(accepts(range, [20, 19, 0]), range).toBe(false);
  }
});

test.each(['web', 'web/openapi', 'docs/examples/consumer/node'])(
  'every package of %s runs on the oldest Node that the README asks for',
  (folder) => {
    const oldest = /Node (\d+\.\d+) or later/.exec(read('README.md'))?.[1] as string;
    expect(JSON.parse(read('web/package.json')).engines.node).toBe(`>=${oldest}`);
    const { packages } = JSON.parse(read(`${folder}/package-lock.json`)) as {
      packages: Record<string, Locked>;
    };
    const refused = Object.entries(packages)
      .filter(([, { engines }]) => engines?.node && !accepts(engines.node, numbers(oldest)))
      .map(([name, { version, engines }]) => `${name} ${version} wants ${engines?.node}`);
    expect(refused).toEqual([]);
  },
);
