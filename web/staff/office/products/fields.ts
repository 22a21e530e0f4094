import type { ProductGroup, ProductGroups, ProductRow } from './queries';

/** What the grid can change of a product; named as the server names it. */
export const fields = [
  'name',
  'price',
  'discounted_price',
  'category_id',
  'brand_id',
  'marks',
  'on_hand',
  'shelf',
  'low_line',
  'archived',
] as const;
export type Field = (typeof fields)[number];
export type Value = string | number | boolean | string[] | null;

/** What is wrong with a value. */
export type Wrong = 'number' | 'price' | 'discount' | 'stock' | 'group' | 'name' | 'shelf' | 'low' | 'yes';

export type Read = { now: Value; wrong?: Wrong };

const maxPrice = 1_000_000_000;
const maxStock = 1_000_000_000;
const maxLowLine = 1_000_000;

/** The value of a product before it is changed. */
export const present = (row: ProductRow, field: Field): Value => row[field];

/** What somebody typed or pasted, as a value of a field; with what is wrong, the text as it was. */
export function read(field: Field, typed: string, row: ProductRow, groups: ProductGroups): Read {
  const text = typed.trim();
  switch (field) {
    case 'price':
      return whole(text, 1, maxPrice, 'price');
    case 'discounted_price':
      return text === '' ? { now: row.price } : whole(text, 1, maxPrice, 'price');
    case 'on_hand':
      return whole(text, 0, maxStock, 'stock');
    case 'name':
      return text && [...text].length <= 500 ? { now: text } : { now: typed, wrong: 'name' };
    case 'low_line':
      return text === '' ? { now: null } : whole(text, 0, maxLowLine, 'low');
    case 'shelf':
      return [...text].length <= 20 ? { now: text } : { now: typed, wrong: 'shelf' };
    case 'category_id':
      return group(text, groups.categories);
    case 'brand_id':
      return text === '' ? { now: null } : group(text, groups.brands);
    case 'marks':
      return marks(text, groups.marks);
    case 'archived':
      return archived(text);
  }
}

/** 4 690, 4690 ₸, 4690,00: as spreadsheets write whole numbers. */
function whole(text: string, least: number, most: number, wrong: Wrong): Read {
  const digits = text.replace(/[\s\u00a0\u202f₸]/gu, '').replace(/[.,]0{1,2}$/, '');
  if (!/^-?\d{1,15}$/.test(digits)) return { now: text, wrong: 'number' };
  const value = Number(digits);
  return value < least || value > most ? { now: value, wrong } : { now: value };
}

const spelled = (name: string) => name.trim().toLowerCase().replaceAll('ё', 'е').replace(/\s+/g, ' ');

const found = (text: string, among: ProductGroup[]) =>
  among.find(({ id, name, archived }) => !archived && (id === text || spelled(name) === spelled(text)));

function group(text: string, among: ProductGroup[]): Read {
  const one = found(text, among);
  return one ? { now: one.id } : { now: text, wrong: 'group' };
}

function marks(text: string, among: ProductGroup[]): Read {
  const names = text
    .split(/[;,|]/)
    .map((name) => name.trim())
    .filter(Boolean);
  const ids = names.map((name) => found(name, among)?.id);
  return ids.includes(undefined) ? { now: text, wrong: 'group' } : { now: ids as string[] };
}

const yes = ['true', 'yes', 'да', '1', 'иә', 'archived', 'в архиве', 'мұрағатта'];
const no = ['', 'false', 'no', 'нет', '0', 'жоқ', 'on sale', 'продаётся', 'продается', 'сатылады'];

function archived(text: string): Read {
  const said = text.toLowerCase();
  if (yes.includes(said)) return { now: true };
  return no.includes(said) ? { now: false } : { now: text, wrong: 'yes' };
}

/** A value as it is shown, typed and copied. */
export function textOf(field: Field, value: Value, groups: ProductGroups): string {
  if (value === null) return '';
  switch (field) {
    case 'category_id':
      return nameIn(groups.categories, value);
    case 'brand_id':
      return nameIn(groups.brands, value);
    case 'marks':
      return Array.isArray(value) ? value.map((id) => nameIn(groups.marks, id)).join('; ') : String(value);
    default:
      return String(value);
  }
}

const nameIn = (among: ProductGroup[], id: Value) => among.find((one) => one.id === id)?.name ?? String(id);

export const same = (a: Value, b: Value): boolean =>
  Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length && a.every((one, at) => one === b[at])
    : a === b;

/** Whether values are the same, in whichever order objects have their members. */
export const alike = (a: unknown, b: unknown): boolean =>
  same(a as Value, b as Value) || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** Objects with their members in one order. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
};
