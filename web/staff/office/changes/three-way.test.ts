import { expect, test } from 'vitest';
import { alike, taking, threeWay } from './three-way';

test('what one person alone changed is kept, what both changed is asked for', () => {
  expect(threeWay(1, 2, 1)).toEqual({ merged: 2, both: [] });
  expect(threeWay(1, 1, 3)).toEqual({ merged: 3, both: [] });
  expect(threeWay(1, 2, 2)).toEqual({ merged: 2, both: [] });
  expect(threeWay(1, 2, 3)).toEqual({ merged: 2, both: [{ path: [], mine: 2, theirs: 3 }] });
  expect(threeWay(['a'], ['a', 'b'], ['c'])).toEqual({
    merged: ['a', 'b'],
    both: [{ path: [], mine: ['a', 'b'], theirs: ['c'] }],
  });
});

test('objects are merged member by member, at any depth', () => {
  const was = { ru: { title: 'А', source: 'один' }, kk: { title: '', source: '' } };
  const mine = { ru: { title: 'Б', source: 'два' }, kk: { title: '', source: '' } };
  const theirs = { kk: { source: 'бір', title: 'Ә' }, ru: { title: 'В', source: 'один' } };
  const { merged, both } = threeWay(was, mine, theirs);
  expect(merged).toEqual({ ru: { title: 'Б', source: 'два' }, kk: { title: 'Ә', source: 'бір' } });
  expect(both).toEqual([{ path: ['ru', 'title'], mine: 'Б', theirs: 'В' }]);
  expect(taking(merged, both[0] as (typeof both)[0], theirs)).toEqual({
    ru: { title: 'В', source: 'два' },
    kk: { title: 'Ә', source: 'бір' },
  });
});

test('a picture brings its own measures, whoever chose it', () => {
  const was = { title: 'т', picture: '', photo: null };
  const mine = { title: 'т', picture: '/m', photo: { width: 1 } };
  const theirs = { title: 'т', picture: '/t', photo: { width: 2 } };
  const { merged, both } = threeWay(was, mine, theirs);
  expect(merged).toEqual(mine);
  expect(both.map(({ path }) => path)).toEqual([['picture']]);
  expect(taking(merged, both[0] as (typeof both)[0], theirs)).toEqual(theirs);
  expect(threeWay(was, was, theirs).merged).toEqual(theirs);
  expect(threeWay(was, { ...was, title: 'у' }, theirs).merged).toEqual({ ...theirs, title: 'у' });
});

test('a thing that somebody took away is asked for as a whole', () => {
  expect(threeWay({ a: 1 }, { a: 2 }, null).both).toEqual([{ path: [], mine: { a: 2 }, theirs: null }]);
});

test('the order of members makes no difference', () => {
  expect(alike({ a: 1, b: [{ c: undefined }] }, { b: [{ c: null }], a: 1 })).toBe(true);
  expect(alike([1, 2], [2, 1])).toBe(false);
});
