import { expect, test } from 'vitest';
import { pages } from './pages';

const routes = import.meta.glob<{ default: unknown }>('../routes/*.tsx');

test.each(pages)('$path is drawn by the module that it names', async ({ name, load }) => {
  const named = await routes[`../routes/${name}.tsx`]?.();
  expect(named?.default).toBe((await load()).default);
});
