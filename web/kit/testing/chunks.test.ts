import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const web = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(web, file), 'utf8');

/** The modules of the project, and of the packages that travel with it, as the builds name them. */
function modules(): string[] {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  const delivered = Object.entries(packages)
    .filter(([folder, { dev, optional }]) => folder && !dev && !optional && existsSync(join(web, folder)))
    .map(([folder]) => folder);
  return ['kit', 'shop', ...delivered].flatMap((folder) =>
    readdirSync(join(web, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:m?js|tsx?|css)$/.test(name) && !/\.(?:d|test)\.tsx?$/.test(name))
      .map((name) => `/web/${folder}/${name}`),
  );
}

/** The branches of an expression, or of parentheses in it; excluded: what is after (?!. */
type Group = { excluded: boolean; branches: Branch[] };
type Branch = (string | Group)[];

/** Reads an expression of names, bars, parentheses and (?!, which is all that those of chunks have. */
function parse(source: string): Group {
  const open: Group[] = [{ excluded: false, branches: [[]] }];
  for (const [sign] of source.matchAll(/\\.|\[[^\]]*\]|\(\?!|./g)) {
    const group = open.at(-1) as Group;
    const branch = group.branches.at(-1) as Branch;
    if (sign === ')') open.pop();
    else if (sign === '|') group.branches.push([]);
    else if (sign.startsWith('(')) {
      const inner = { excluded: sign === '(?!', branches: [[]] };
      branch.push(inner);
      open.push(inner);
    } else branch.push(sign);
  }
  return open[0] as Group;
}

/** A branch as an expression that excludes nothing. */
const written = (branch: Branch): string =>
  branch
    .map((part) => {
      if (typeof part === 'string') return part;
      return part.excluded ? '' : `(?:${part.branches.map(written).join('|')})`;
    })
    .join('');

/** Every name of a group, with the expression that asks for this name where the group allows or excludes several. */
const names = ({ excluded, branches }: Group): { name: string; source: string }[] =>
  branches
    .flatMap((branch) => {
      const inner = branch.flatMap((part, at) =>
        typeof part === 'string'
          ? []
          : names(part).map(({ name, source }) => ({
              name,
              source: written(branch.slice(0, at)) + source + written(branch.slice(at + 1)),
            })),
      );
      return inner.length > 0 ? inner : [{ name: written(branch), source: written(branch) }];
    })
    .map(({ name, source }) => ({ name, source: `(?${excluded ? '=' : ':'}${source})` }));

/** A chunk is made by the names of its modules: one that no file has any more would silently change what loads first. */
test.each(['vite.config.ts', 'vite.staff.config.ts'])(
  'every name in the chunks of %s is that of a file',
  (config) => {
    const expressions = [...read(config).matchAll(/\btest: \/(.+)\/,?(?: \}|$)/gm)].map(
      ([, source]) => source as string,
    );
    expect(expressions.length).toBe(read(config).match(/\btest: \//g)?.length);
    const files = modules();
    const without = expressions
      .flatMap((expression) => names(parse(expression)))
      .filter(({ source }) => !files.some((file) => new RegExp(source).test(file)))
      .map(({ name }) => name);
    expect(without).toEqual([]);
  },
);
