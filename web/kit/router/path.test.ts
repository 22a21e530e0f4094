import { expect, test } from 'vitest';
import { createPath, matchPath, parsePath, resolve } from './path';

test.each([
  ['/product/:id', '/product/soap', { id: 'soap' }],
  ['/product/:id', '/product/soap/', { id: 'soap' }],
  ['/product/:id', '/Product/%D0%BC%D1%8B%D0%BB%D0%BE', { id: 'мыло' }],
  ['/product/:id', '/product/100%', { id: '100%' }],
  ['/product/:id', '/product/a%2Fb', { id: 'a/b' }],
  ['/product/:id', '/product', undefined],
  ['/product/:id', '/product/', undefined],
  ['/product/:id', '/product/soap/reviews', undefined],
  ['/categories/:id?', '/categories', { id: undefined }],
  ['/categories/:id?', '/categories/face', { id: 'face' }],
  ['/', '/', {}],
  ['/', '/about', undefined],
  ['*', '/what/ever', {}],
])('%s and %s', (pattern, pathname, params) => {
  expect(matchPath(pattern, pathname)?.params).toEqual(params);
});

test('an address comes apart and together', () => {
  for (const address of ['/', '/news?page=2', '/#advantages', '/order/1?a=b#pay', '/a?b?c#d#e']) {
    expect(createPath(parsePath(address))).toBe(address);
  }
  expect(createPath({ pathname: '/a', search: 'b=c', hash: 'd' })).toBe('/a?b=c#d');
  expect(createPath({ pathname: '/a', search: '?', hash: '#' })).toBe('/a');
});

test('without a path it stays where it is', () => {
  expect(resolve('?page=2', '/news')).toBe('/news?page=2');
  expect(resolve({ search: '' }, '/category/face')).toBe('/category/face');
  expect(resolve('/#success_popup', '/checkout')).toBe('/#success_popup');
});
