import { expect, test } from 'vitest';
import { draftOf, emptyDraft, isCode, isWhole, termsOf, wrongTyped } from './draft';
import type { PromocodeSheet } from './queries';

const sheet: PromocodeSheet = {
  code: 'BRAND10',
  kind: 'percent',
  value: 10,
  min_sum: 5000,
  valid_from: '2026-11-30T19:00:00Z',
  valid_until: null,
  uses: 100,
  uses_per_user: 0,
  redeemed: 2,
  revoked: false,
  max_discount: 3000,
  categories: [],
  brands: ['b1'],
  products: ['p1'],
  groups: ['VIP'],
  state: 'active',
  orders: 2,
  discount: 2000,
  revenue: 30000,
  scope: [
    { id: 'b1', kind: 'brand', name: 'Aroma' },
    { id: 'p1', kind: 'product', name: 'Крем' },
  ],
  days: [],
  other_orders: 0,
  other_revenue: 0,
};

test('the form of a code means its terms', () => {
  expect(termsOf(draftOf(sheet))).toEqual({
    kind: 'percent',
    value: 10,
    min_sum: 5000,
    uses: 100,
    uses_per_user: 0,
    valid_from: '2026-12-01T00:00:00+05:00',
    max_discount: 3000,
    brands: ['b1'],
    products: ['p1'],
    groups: ['VIP'],
  });
});

test('a sum has no greatest discount, and a percent is at most 100', () => {
  expect(termsOf({ ...emptyDraft, kind: 'fixed', value: '500', max: '100' })).not.toHaveProperty(
    'max_discount',
  );
  expect(isWhole({ ...emptyDraft, value: '101' })).toBe(false);
  expect(isWhole({ ...emptyDraft, value: '' })).toBe(false);
  expect(isWhole({ ...emptyDraft, kind: 'fixed', value: '500' })).toBe(true);
});

test('what cannot be as it is typed is named', () => {
  expect(wrongTyped({ ...emptyDraft, value: '150' })).toBe('value');
  expect(wrongTyped({ ...emptyDraft, value: '100' })).toBe('');
  expect(wrongTyped({ ...emptyDraft, kind: 'fixed', value: '150' })).toBe('');
  expect([isCode('ОСЕНЬ-10'), isCode('BAD CODE'), isCode(''), isCode('x'.repeat(65))]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
