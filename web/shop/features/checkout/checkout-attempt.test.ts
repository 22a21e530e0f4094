import { beforeEach, expect, test, vi } from 'vitest';
import type { OrderRequest } from '../../api/types';

const order = (house: string) => ({ customer_house: house }) as OrderRequest;

/** The store as a page that has just opened has it. */
async function opened() {
  vi.resetModules();
  return (await import('./checkout-attempt')).attempt;
}

beforeEach(() => sessionStorage.clear());

test('an order keeps its key until it is answered, also when it is changed', async () => {
  const attempt = await opened();
  const { key } = attempt.begin(order('1'));
  expect(attempt.begin(order('1'))).toEqual({ key, order: order('1'), earlier: [] });
  expect(attempt.begin(order('2'))).toEqual({ key, order: order('2'), earlier: [order('1')] });
  attempt.settle();
  expect(attempt.begin(order('2')).key).not.toBe(key);
});

test('the refusal of a changed order says nothing about what was sent before', async () => {
  const attempt = await opened();
  const { key } = attempt.begin(order('1'));
  attempt.lose();
  attempt.change();
  expect(attempt.unanswered()).toBeNull();
  attempt.begin(order('2'));
  attempt.refuse();
  expect(attempt.begin(order('3'))).toEqual({ key, order: order('3'), earlier: [order('1')] });
  attempt.settle();
  attempt.begin(order('4'));
  attempt.refuse();
  expect(attempt.begin(order('4')).key).not.toBe(key);
});

test('an order that was sent when the page was left waits for its answer, under its key', async () => {
  const { key } = (await opened()).begin(order('1'));
  const after = await opened();
  expect(after.unanswered()).toEqual({ key, order: order('1'), earlier: [], here: false });
  expect(after.begin(order('1')).key).toBe(key);
  after.settle();
  expect((await opened()).unanswered()).toBeNull();
});

test('only a lost attempt is unanswered on its own page', async () => {
  const attempt = await opened();
  attempt.begin(order('1'));
  expect(attempt.unanswered()).toBeNull();
  attempt.lose();
  expect(attempt.unanswered()).toMatchObject({ here: true });
});

test('what is no attempt in the storage is none', async () => {
  sessionStorage.setItem('dala.attempt', '{"key":1');
  expect((await opened()).unanswered()).toBeNull();
});
