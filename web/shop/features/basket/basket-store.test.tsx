import { readFileSync } from 'node:fs';
import { act, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { cardWith } from '../../testing/answers';
import { basket, basketKey, countPieces, useBasket, useBasketLine } from './basket-store';

const serum = cardWith({ id: 'serum', amount: 2 });
const soap = cardWith({ id: 'soap', amount: 5 });
const counts = () => basket.lines().map((line) => [line.id, line.count]);
const stored = () => JSON.parse(localStorage.getItem(basketKey) ?? '[]');

function Lines() {
  return <p>{countPieces(useBasket())} шт.</p>;
}

test('a basket is filled up to what is wanted and what there is', () => {
  const soap = cardWith({ id: 'soap', amount: 3 });
  basket.clear();
  expect(basket.fill(soap, 2)).toBe(2);
  expect(basket.fill(soap, 2)).toBe(2);
  expect(basket.fill(soap, 5)).toBe(3);
  expect(basket.fill(soap, 1)).toBe(3);
  expect(basket.fill(cardWith({ id: 'gone', amount: 0 }), 1)).toBe(0);
  expect(basket.lines().map(({ id, count }) => [id, count])).toEqual([['soap', 3]]);
});

test('adding a product that is there raises its count by one', () => {
  expect(basket.add(serum)).toBe(true);
  expect(basket.add(soap)).toBe(true);
  expect(basket.add(serum)).toBe(true);
  expect(counts()).toEqual([
    ['serum', 2],
    ['soap', 1],
  ]);
  expect(countPieces(basket.lines())).toBe(3);
});

test('the stock is the limit', () => {
  basket.add(serum);
  basket.add(serum);
  expect(basket.add(serum)).toBe(false);
  expect(basket.plus('serum')).toBe(false);
  expect(basket.add(cardWith({ id: 'none', amount: 0 }))).toBe(false);
  expect(counts()).toEqual([['serum', 2]]);
});

test('minus at one takes the line away', () => {
  basket.add(serum);
  basket.add(serum);
  basket.minus('serum');
  expect(counts()).toEqual([['serum', 1]]);
  basket.minus('serum');
  expect(counts()).toEqual([]);
});

test('every change is stored under the fixed key', () => {
  basket.add(soap);
  expect(stored()).toMatchObject([{ id: 'soap', count: 1, price: soap.price }]);
  basket.clear();
  expect(stored()).toEqual([]);
});

test('a shortage takes pieces off, keeps the reason, and does so once', () => {
  for (let i = 0; i < 4; i += 1) basket.add(soap);
  basket.limit('soap', 4, 2, 'мало');
  basket.limit('soap', 4, 2, 'мало');
  expect(basket.lines()[0]).toMatchObject({ count: 2, amount: 2, error: 'мало' });
  basket.minus('soap');
  expect(basket.lines()[0]?.error).toBeUndefined();
});

test('a shortage takes one piece off even when the server names as many as asked', () => {
  for (let i = 0; i < 3; i += 1) basket.add(soap);
  basket.limit('soap', 3, 3, 'мало');
  expect(counts()).toEqual([['soap', 2]]);
});

test('fresh facts change the line but not its count', () => {
  basket.add(soap);
  basket.add(soap);
  basket.refresh({ ...soap, discounted_price: 1, amount: 9 });
  expect(basket.lines()[0]).toMatchObject({ count: 2, discounted_price: 1, amount: 9 });
});

test('another tab changes this one', () => {
  basket.add(soap);
  const line = stored()[0];
  render(<Lines />);
  expect(screen.getByText('1 шт.')).toBeTruthy();
  localStorage.setItem(basketKey, JSON.stringify([{ ...line, count: 4 }]));
  act(() => void dispatchEvent(new StorageEvent('storage', { key: basketKey })));
  expect(screen.getByText('4 шт.')).toBeTruthy();
  localStorage.clear();
  act(() => void dispatchEvent(new StorageEvent('storage', { key: null })));
  expect(screen.getByText('0 шт.')).toBeTruthy();
});

test.each(['not json', '{"a":1}', '[null, 5, {"id":"x"}]', '[{"id":"x","count":-1}]'])(
  'a broken storage is an empty basket: %s',
  async (value) => {
    localStorage.setItem(basketKey, value);
    vi.resetModules();
    const fresh = await import('./basket-store');
    expect(fresh.basket.lines()).toEqual([]);
  },
);

test('a basket works without storage', () => {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  expect(basket.add(soap)).toBe(true);
  expect(counts()).toEqual([['soap', 1]]);
});

test('a price that changed is told as was and is, until it is seen or as it was again', () => {
  basket.add({ ...soap, discounted_price: 900 });
  basket.refresh({ ...soap, discounted_price: 950 });
  basket.refresh({ ...soap, discounted_price: 990 });
  expect(basket.lines()[0]).toMatchObject({ discounted_price: 990, was: { discounted_price: 900 } });
  basket.refresh({ ...soap, discounted_price: 900 });
  expect(basket.lines()[0]?.was).toBeUndefined();
  basket.refresh({ ...soap, discounted_price: 950 });
  basket.acknowledge('soap');
  expect(basket.lines()[0]).toMatchObject({ discounted_price: 950, was: undefined });
});

test('pieces that were taken off are told until the shopper chooses a count', () => {
  for (let i = 0; i < 4; i += 1) basket.add(soap);
  basket.limit('soap', 4, 2, 'мало');
  expect(basket.lines()[0]?.was).toEqual({ count: 4 });
  basket.minus('soap');
  expect(basket.lines()[0]?.was).toBeUndefined();
});

test('the script in index.html that runs before the first paint looks where the basket is kept', () => {
  const html = readFileSync('index.html', 'utf8');
  expect(html).toContain(`localStorage.getItem('${basketKey}')`);
});

const drawn = vi.fn();

function OfSerum() {
  drawn();
  return <p>{useBasketLine('serum')?.count ?? 0} шт.</p>;
}

test('what shows one product is drawn again for that product alone', () => {
  render(<OfSerum />);
  drawn.mockClear();
  act(() => void basket.add(soap));
  act(() => void basket.add(soap));
  expect(drawn).not.toHaveBeenCalled();
  act(() => void basket.add(serum));
  expect(screen.getByText('1 шт.')).toBeTruthy();
});
