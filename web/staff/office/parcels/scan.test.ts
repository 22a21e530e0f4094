import { expect, test } from 'vitest';
import type { Parcel } from './queries';
import { complete, pickList, scan } from './scan';

const line = (article: string, amount: number, shelf = '') =>
  ({ product_id: article, article, name: article, amount, price: 1, total: 1, shelf }) as const;
const order = (number: number, ...lines: Parcel['lines']) => ({ number, lines }) as Parcel;

test('right goods are counted, wrong ones, too many and garbage are refused', () => {
  const o = order(1, line('MK-1', 2), line('SO-77', 1));
  const first = scan(o, {}, ' mk-1 ');
  expect(first).toEqual({ kind: 'right', article: 'MK-1', left: 1, counted: { 'MK-1': 1 } });
  expect(scan(o, { 'MK-1': 2 }, 'MK-1')).toEqual({ kind: 'many', code: 'MK-1' });
  expect(scan(o, {}, 'XX').kind).toBe('wrong');
  for (const bad of ['', '  ', '\u0000\u0001', 'x'.repeat(101)])
    expect(scan(o, {}, bad).kind).toBe('garbage');
  expect(complete(o, { 'MK-1': 2 })).toBe(false);
  expect(complete(o, { 'MK-1': 2, 'SO-77': 1 })).toBe(true);
});

test('the pick list sums articles in the order of shelves', () => {
  const list = pickList([
    order(1, line('Z', 1), line('B', 2, 'A-02')),
    order(2, line('A', 1, 'B-01'), line('B', 3, 'A-02')),
  ]);
  expect(list.map(({ article, amount, orders }) => [article, amount, orders])).toEqual([
    ['B', 5, [1, 2]],
    ['A', 1, [2]],
    ['Z', 1, [1]],
  ]);
});
