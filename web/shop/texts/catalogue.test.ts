import { afterEach, expect, test } from 'vitest';
import { inRussian, say, texts } from '../../kit/texts/catalogue';
import { kazakh } from './kk';

const modules = import.meta.glob<Record<string, unknown>>(
  ['./*.ts', '../../kit/texts/field.ts', '!./*.test.ts', '!./kk.ts'],
  {
    eager: true,
  },
);
const russian = Object.entries(modules)
  .flatMap(([, module]) => Object.entries(module))
  .filter((entry): entry is [string, Record<string, unknown>] => typeof entry[1] === 'object');
const other: Record<string, Record<string, unknown>> = kazakh;

afterEach(() => say(undefined));

test('every text has Kazakh words', () => {
  const missing = russian.flatMap(([name, said]) =>
    Object.keys(said)
      .filter((key) => other[name]?.[key] === undefined)
      .map((key) => `${name}.${key}`),
  );
  expect(missing).toEqual([]);
});

test('every text follows the language', () => {
  const before = new Map(russian.map(([name, said]) => [name, { ...said }]));
  say(kazakh);
  const deaf = russian.filter(([name, said]) =>
    Object.keys(said).some((key) => said[key] !== other[name]?.[key]),
  );
  expect(deaf.map(([name]) => name)).toEqual([]);
  say(undefined);
  for (const [name, said] of russian) expect(said).toEqual(before.get(name));
});

test('texts that are declared later say the language in use', () => {
  say({ greeting: { hello: 'Сәлем' } });
  const greeting = texts('greeting', { hello: 'Здравствуйте', bye: 'До свидания' });
  expect(greeting).toEqual({ hello: 'Сәлем', bye: 'До свидания' });
  expect(inRussian(greeting).hello).toBe('Здравствуйте');
  say(undefined);
  expect(greeting.hello).toBe('Здравствуйте');
});
