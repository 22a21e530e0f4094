import { expect, test } from 'vitest';
import type { Entry } from './entries';
import { arranged, moved, nearest, none, pickedUp, placeOf, stepped, treeOf } from './place';

/** A category; its number is its order. */
const entry = (id: string, parent_id: string | null, order: number): Entry => ({
  id,
  link: id,
  name: id,
  description: '',
  kazakh: { name: '', description: '' },
  parent_id,
  order,
  placeholder: '',
  picture: null,
  logo: null,
  archived: false,
  products: 0,
});

const entries = [
  entry('face', null, 1),
  entry('creams', 'face', 1),
  entry('serums', 'face', 2),
  entry('body', null, 2),
  entry('oils', 'body', 1),
  entry('hair', null, 3),
];
const rows = treeOf(entries);
const shape = (of: Entry[]) => treeOf(of).map(({ entry: { id }, depth }) => `${'-'.repeat(depth)}${id}`);
const carrying = (id: string) => pickedUp(rows, rows, id) as NonNullable<ReturnType<typeof pickedUp>>;

test('the tree keeps every entry, also below a lost parent', () => {
  expect(shape([...entries, entry('lost', 'gone', 9)])).toEqual([
    'face',
    '-creams',
    '-serums',
    'body',
    '-oils',
    'hair',
    'lost',
  ]);
});

test('a move under another parent numbers both groups, and nothing else', () => {
  const items = moved(entries, 'creams', { parent: 'body', before: 'oils' });
  expect(items).toEqual([
    { thing: 'category', id: 'creams', field: 'parent_id', was: 'face', now: 'body' },
    { thing: 'category', id: 'oils', field: 'order', was: 1, now: 2 },
    { thing: 'category', id: 'serums', field: 'order', was: 2, now: 1 },
  ]);
  expect(shape(arranged(entries, items))).toEqual(['face', '-serums', 'body', '-creams', '-oils', 'hair']);
});

test('a move to the top names no parent', () => {
  const items = moved(entries, 'oils', { parent: null, before: 'face' });
  expect(items[0]).toEqual({ thing: 'category', id: 'oils', field: 'parent_id', was: 'body', now: none });
  expect(shape(arranged(entries, items))).toEqual(['oils', 'face', '-creams', '-serums', 'body', 'hair']);
});

test('what stays at its place changes nothing', () => {
  for (const { entry } of rows) expect(moved(entries, entry.id, placeOf(carrying(entry.id)))).toEqual([]);
});

test('whatever keys are pressed, a category lands at most on the second level, and takes along what is in it', () => {
  const keys = ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowUp', 'ArrowLeft', 'End', 'ArrowRight', 'Home'];
  for (const { entry } of rows) {
    let carry = carrying(entry.id);
    for (const key of [...keys, ...keys.toReversed()]) {
      carry = { ...carry, spot: stepped(carry, key) ?? carry.spot };
      const after = arranged(entries, moved(entries, entry.id, placeOf(carry)));
      expect(Math.max(...treeOf(after).map(({ depth }) => depth))).toBeLessThan(2);
      expect(after).toHaveLength(entries.length);
      const parents = (of: Entry[]) =>
        of.filter(({ id }) => id !== entry.id).map(({ id, parent_id }) => [id, parent_id]);
      expect(parents(after).sort()).toEqual(parents(entries).sort());
    }
  }
});

test('a parent passes another parent with all that is in it in one step', () => {
  const carry = carrying('body');
  const up = stepped(carry, 'ArrowUp');
  expect(up).toEqual({ gap: 0, depth: 0 });
  expect(placeOf({ ...carry, spot: up ?? carry.spot })).toEqual({ parent: null, before: 'face' });
  expect(stepped(carry, 'ArrowRight')).toEqual(carry.spot);
  expect(stepped(carry, 'x')).toBeUndefined();
});

test('a pointer chooses the gap, and how far to the right the level', () => {
  const carry = carrying('hair');
  // Below the oils: in the body, or at the top.
  expect(placeOf({ ...carry, spot: nearest(carry, { gap: 5, depth: 1 }) })).toEqual({
    parent: 'body',
    before: null,
  });
  expect(placeOf({ ...carry, spot: nearest(carry, { gap: 5, depth: 0 }) })).toEqual({
    parent: null,
    before: null,
  });
  // Between two that are in the face there is no top level.
  expect(placeOf({ ...carry, spot: nearest(carry, { gap: 2, depth: 0 }) })).toEqual({
    parent: 'face',
    before: 'serums',
  });
  // A parent finds no place there at all.
  const parent = carrying('body');
  expect(nearest(parent, { gap: 2, depth: 0 }).gap).not.toBe(2);
});

test('a category below a lost parent moves among those at the top, where it is shown, and keeps its parent', () => {
  const all = [...entries, entry('lost', 'gone', 4)];
  const carry = pickedUp(treeOf(all), treeOf(all), 'lost');
  expect(carry && moved(all, 'lost', placeOf(carry))).toEqual([]);
  const up = [
    { thing: 'category', id: 'lost', field: 'order', was: 4, now: 3 },
    { thing: 'category', id: 'hair', field: 'order', was: 3, now: 4 },
  ];
  expect(moved(all, 'lost', { parent: null, before: 'hair' })).toEqual(up);
  expect(moved(all, 'lost', { parent: 'gone', before: 'hair' })).toEqual(up);
  expect(moved(all, 'lost', { parent: 'hair', before: null })[0]).toEqual({
    thing: 'category',
    id: 'lost',
    field: 'parent_id',
    was: 'gone',
    now: 'hair',
  });
});

test('what is put into a closed parent comes last in it', () => {
  const shown = rows.filter(({ entry }) => entry.parent_id !== 'face');
  const carry = pickedUp(shown, rows, 'hair');
  expect(carry && placeOf({ ...carry, spot: nearest(carry, { gap: 1, depth: 1 }) })).toEqual({
    parent: 'face',
    before: null,
  });
  expect(moved(entries, 'hair', { parent: 'face', before: null })).toEqual([
    { thing: 'category', id: 'hair', field: 'parent_id', was: none, now: 'face' },
  ]);
});

test('two hundred categories are arranged at once', () => {
  const many = Array.from({ length: 200 }, (_, n) => entry(`c${n}`, null, n + 1));
  const items = moved(many, 'c199', { parent: null, before: 'c0' });
  expect(items).toHaveLength(200);
  expect(arranged(many, items)[0]?.id).toBe('c199');
});
