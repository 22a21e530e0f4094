import { expect, test } from 'vitest';
import { leadingTo, ownPath } from './next';

test.each([
  ['/account/order/1?from=mail#pay', '/account/order/1?from=mail#pay'],
  ['/checkout', '/checkout'],
  [null, '/account/info'],
  ['', '/account/info'],
  ['account/orders', '/account/info'],
  ['https://evil.example/', '/account/info'],
  ['//evil.example/', '/account/info'],
  ['/\\evil.example/', '/account/info'],
  ['/\t/evil.example/', '/account/info'],
  ['/.//evil.example/', '/account/info'],
  ['javascript:alert(1)', '/account/info'],
])('%s leads to %s', (wanted, path) => {
  expect(ownPath(wanted)).toBe(path);
});

test('a page of signing in remembers where it leads, but for the account itself', () => {
  expect(leadingTo('/login', '/account/orders?x=1')).toBe('/login?next=%2Faccount%2Forders%3Fx%3D1');
  expect(leadingTo('/login', '/account/info')).toBe('/login');
});
