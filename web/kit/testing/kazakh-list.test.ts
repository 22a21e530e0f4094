import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { forShoppers, forStaff, shoppersList, staffList, textsIn } from './kazakh-list';

type Modules = Record<string, Record<string, unknown>>;
type Catalogue = Record<string, Record<string, unknown>>;

const fields = import.meta.glob('../texts/field.ts', { eager: true }) as Modules;
const shopRussian = import.meta.glob(
  ['../../shop/texts/*.ts', '!../../shop/texts/kk.ts', '!../../shop/texts/*.test.ts'],
  { eager: true },
) as Modules;
const staffRussian = import.meta.glob('../../staff/**/texts/{ru,*-ru,units}.ts', { eager: true }) as Modules;
const shopKazakh = import.meta.glob('../../shop/texts/kk.ts', { eager: true }) as Modules;
const staffKazakh = import.meta.glob('../../staff/**/texts/{kk,*-kk}.ts', { eager: true }) as Modules;

/** The objects of texts that modules export, by their names. */
const catalogue = (...modules: Modules[]) =>
  Object.assign({}, ...modules.flatMap(Object.values)) as Catalogue;
/** The shared file of the staff app comes last: it gathers those of the sections. */
const shared = '../../staff/texts/kk.ts';
const staffFiles = Object.entries(staffKazakh)
  .sort(([a], [b]) => Number(a === shared) - Number(b === shared) || a.localeCompare(b))
  .map(([path, module]): [string, Catalogue] => [
    path.replace('../../', 'web/'),
    Object.assign({}, ...Object.values(module)),
  ]);
const shoppers = forShoppers(catalogue(shopRussian, fields), catalogue(shopKazakh).kazakh as Catalogue);
const staff = forStaff(catalogue(staffRussian, fields), staffFiles);

// Texts of the shop and of its staff have names in common: who comes after this file has its own anew.
afterAll(() => void vi.resetModules());

test.each([
  ['docs/kazakh.md', shoppersList(shoppers)],
  ['docs/kazakh-staff.md', staffList(staff)],
])('%s has every Kazakh text beside its Russian one', (file, list) => {
  const place = join(import.meta.dirname, '../../..', file);
  if (process.env.WRITE_KAZAKH) writeFileSync(place, list);
  // A short answer: the two are long.
  expect(readFileSync(place, 'utf8') === list, `${file} is what the texts say; make kazakh writes it`).toBe(
    true,
  );
});

test('the lists lack nothing', () => {
  const rows = [...shoppers, ...staff].flatMap((section) => section.rows);
  expect(rows.length).toBeGreaterThan(2500);
  expect(shoppers.filter((section) => section.rows.length === 0).map(({ file }) => file)).toEqual([]);
  expect(rows.filter(({ russian, kazakh }) => !russian || !kazakh)).toEqual([]);
  const named = new Set(
    [...shoppers, ...staff].flatMap(({ rows }) => rows.map(({ key }) => key.split('.')[0])),
  );
  // countTexts puts the words of others together.
  const own = Object.keys(catalogue(staffRussian)).filter(
    (name) => name.endsWith('Texts') && name !== 'countTexts' && !named.has(name),
  );
  expect(own).toEqual([]);
});

test('a text is found in the source of what makes it', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a function that has a template
  expect(textsIn('(a) => `Показано ${a.toFixed({ x: "нет" })} из ${b ? `всех` : "многих"}`')).toEqual([
    'Показано {…} из {…}',
    'нет',
    'всех',
    'многих',
  ]);
  expect(textsIn("() => 'x' + \"one\\'s два\"")).toEqual(["one's два"]);
});
