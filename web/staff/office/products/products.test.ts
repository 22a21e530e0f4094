import { expect, test } from 'vitest';
import { bulkEdits } from './bulk-edits';
import { cellsOf, textOf } from './clipboard';
import { edited, itemsOf, sizeOf } from './draft';
import { packed, unpacked } from './draft-store';
import { read } from './fields';
import { BadFormula, evaluate, rounded } from './formula';
import { groups, row } from './testing';

test('a formula counts as people write it', () => {
  const names = { price: 1000, цена: 1000 };
  expect(evaluate('price * 1.1 + 50', names)).toBeCloseTo(1150);
  expect(evaluate('Цена - 10% * цена', names)).toBe(900);
  expect(evaluate('-(2 + 3) * -2,5', names)).toBe(12.5);
  for (const bad of ['', 'price *', '2 3', 'cost', 'price; x', '((1)', 'constructor', '1..2'])
    expect(() => evaluate(bad, names), bad).toThrow(BadFormula);
});

test('a price is rounded in the way that was chosen, and binary fractions do not count', () => {
  expect(rounded(100 * 1.1, 1, 'up')).toBe(110);
  expect(rounded(1234, 100, 'nearest')).toBe(1200);
  expect(rounded(1234, 100, 'up')).toBe(1300);
  expect(rounded(1299, 100, 'down')).toBe(1200);
});

test('a clipboard of a spreadsheet keeps its cells', () => {
  const cells = [
    ['a', '1 200', 'x"y'],
    ['', 'two\nlines', 'tab\there'],
  ];
  expect(cellsOf(textOf(cells))).toEqual(cells);
  expect(cellsOf('1\r\n2\r\n')).toEqual([['1'], ['2']]);
  expect(cellsOf('')).toEqual([]);
});

test('what is typed becomes a value, or says what is wrong', () => {
  const of = (field: Parameters<typeof read>[0], text: string) => read(field, text, row(), groups);
  expect(of('price', '4 690 ₸')).toEqual({ now: 4690 });
  expect(of('price', '4690,00')).toEqual({ now: 4690 });
  expect(of('price', 'дорого')).toEqual({ now: 'дорого', wrong: 'number' });
  expect(of('price', '0')).toEqual({ now: 0, wrong: 'price' });
  expect(of('price', '10000000000')).toEqual({ now: 10_000_000_000, wrong: 'price' });
  expect(of('on_hand', '-1')).toEqual({ now: -1, wrong: 'stock' });
  expect(of('discounted_price', '')).toEqual({ now: 1000 });
  expect(of('brand_id', 'зеленый  ЛУГ')).toEqual({ now: 'b1' });
  expect(of('brand_id', '')).toEqual({ now: null });
  expect(of('category_id', 'Тело')).toEqual({ now: 'Тело', wrong: 'group' });
  expect(of('marks', 'Эко; веган')).toEqual({ now: ['m2', 'm1'] });
  expect(of('archived', 'да')).toEqual({ now: true });
});

test('a draft holds what differs, and a price without a discount takes the price to pay along', () => {
  const one = row();
  const raised = edited({}, [{ row: one, field: 'price', to: { now: 1200 } }]);
  expect(itemsOf(raised)).toEqual([
    { thing: 'product', id: 'p1', field: 'discounted_price', was: 1000, now: 1200 },
    { thing: 'product', id: 'p1', field: 'price', was: 1000, now: 1200 },
  ]);
  expect(edited(raised, [{ row: one, field: 'price', to: { now: 1000 } }])).toEqual({});

  const sale = row({ discounted_price: 900 });
  const cheaper = edited({}, [{ row: sale, field: 'price', to: { now: 800 } }]);
  expect(cheaper.p1?.cells.discounted_price).toEqual({ was: 900, now: 900, wrong: 'discount' });
  expect(sizeOf(cheaper)).toEqual({ products: 1, values: 2, wrong: 1 });
  const mended = edited(cheaper, [{ row: sale, field: 'discounted_price', to: { now: 800 } }]);
  expect(sizeOf(mended).wrong).toBe(0);
});

test('a bulk action works over the draft, and tells values that no price may have', () => {
  const draft = edited({}, [{ row: row(), field: 'price', to: { now: 2000 } }]);
  const by = (formula: string) =>
    bulkEdits(
      [row()],
      draft,
      { kind: 'formula', field: 'discounted_price', formula, step: 10, how: 'nearest' },
      groups,
    );
  expect(by('price * 0.9')[0]?.to).toEqual({ now: 1800 });
  expect(by('price * 0')[0]?.to).toEqual({ now: 0, wrong: 'price' });
  expect(by('price / 0')[0]?.to).toEqual({ now: 'Infinity', wrong: 'price' });
  expect(by('price * 1000000')[0]?.to.wrong).toBe('price');
  expect(bulkEdits([row({ marks: ['m1'] })], {}, { kind: 'mark', mark: 'm2' }, groups)[0]?.to.now).toEqual([
    'm1',
    'm2',
  ]);
});

test('ten thousand pasted cells with text are told one by one', () => {
  const rows = Array.from({ length: 10_000 }, (_, n) => row({ id: `p${n}` }));
  const draft = edited(
    {},
    rows.map((one) => ({ row: one, field: 'price' as const, to: read('price', 'много', one, groups) })),
  );
  expect(sizeOf(draft)).toEqual({ products: 10_000, values: 10_000, wrong: 10_000 });
});

test('a draft of ten thousand products fits where browsers keep it, and comes back as it was', () => {
  const rows = Array.from({ length: 10_000 }, (_, n) =>
    row({
      id: `0199a6f2-7a31-7c0e-9e51-${String(n).padStart(12, '0')}`,
      article: `IM-${n}`,
      link: `import-cream-${n}`,
      name: `Импортный крем для очень сухой кожи № ${n}`,
      brand_id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60',
      brand: 'Зелёный луг',
      category_id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f61',
      marks: ['0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f62', '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f63'],
      picture: `/media/photos/0199a6f2-7a31-7c0e-9e51-${String(n).padStart(12, '0')}-320.webp`,
    }),
  );
  const draft = edited(
    {},
    rows.map((one, n) => ({
      row: one,
      field: 'price' as const,
      to: read('price', n % 1000 === 7 ? 'дорого' : '2000', one, groups),
    })),
  );
  expect(packed(draft).length).toBeLessThan(5_000_000);
  expect(unpacked(packed(draft))).toEqual(draft);
  expect(unpacked(packed({}))).toEqual({});
  // What a page of before kept is read too.
  const few = edited({}, [{ row: row(), field: 'name', to: read('name', 'Мазь', row(), groups) }]);
  expect(unpacked(JSON.stringify(few))).toEqual(few);
  expect(JSON.stringify(draft).length).toBeGreaterThan(5_000_000);
});
