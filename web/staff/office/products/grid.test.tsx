import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { Me } from '../../api/types';
import { openPage, signedIn } from '../../testing/open';
import { groups, row } from './testing';

const me = signedIn('catalog', 'catalog.see', 'catalog.change');

const all = Array.from({ length: 250 }, (_, n) =>
  row({ id: `p${n}`, article: `MK-${n}`, name: `Крем ${n}`, price: 1000 + n, discounted_price: 1000 + n }),
);

/** A shop of 250 products. */
const shop = (more = {}) => ({
  'GET /api/staff/products': ({ query }: { query: URLSearchParams }) => {
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
    const found = all.filter(({ article }) => article.includes(query.get('query') ?? ''));
    return { count: found.length, results: found.slice(offset, offset + limit) };
  },
  'GET /api/staff/products/groups': groups,
  ...more,
});

const open = (path = '/admin/products', more = {}, who: Me = me) => openPage(path, shop(more), who);
const cell = (article: string, at: number) => {
  const one = screen.getByText(article).closest('[role="row"]') as HTMLElement;
  return within(one).getAllByRole('gridcell')[at] as HTMLElement;
};

beforeEach(() => localStorage.clear());

test('only the rows in sight are drawn, and the grid says how many there are', async () => {
  open();
  const grid = await screen.findByRole('grid');
  await screen.findByText('MK-0');
  await waitFor(() => expect(grid.getAttribute('aria-rowcount')).toBe('251'));
  expect(screen.getAllByRole('row').length).toBeLessThan(60);
});

test('a cell is changed by keyboard alone, kept as a draft, and found again', async () => {
  const { user, unmount } = open();
  await screen.findByText('MK-0');
  await user.click(cell('MK-0', 3));
  await user.keyboard('2500{Enter}');
  expect(cell('MK-0', 3).textContent).toBe('2,500');
  expect(cell('MK-0', 4).textContent).toBe('2,500');
  expect(document.activeElement).toBe(cell('MK-1', 3));
  await user.keyboard('дорого{Tab}');
  expect(cell('MK-1', 3).getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByRole('button', { name: 'Review and apply' }).hasAttribute('disabled')).toBe(true);
  unmount();
  open('/admin/products?changed=yes');
  expect(await screen.findByText('MK-1')).toBeTruthy();
  expect(cell('MK-0', 3).textContent).toBe('2,500');
  expect(screen.queryByText('MK-2')).toBeNull();
});

test('cells of a spreadsheet fill from the active cell, beyond what was read', async () => {
  const { user } = open();
  await screen.findByText('MK-0');
  await user.click(cell('MK-0', 3));
  const text = Array.from({ length: 150 }, (_, n) => `${2000 + n}`).join('\n');
  fireEvent.paste(cell('MK-0', 3), { clipboardData: { getData: () => text } });
  expect(await screen.findByText('Draft: 150 products, 300 values')).toBeTruthy();
  expect(screen.getByText('Cells filled: 150')).toBeTruthy();
});

test('a draft is checked and applied as one change; what is refused stays', async () => {
  const results = (items: unknown[]) =>
    items.map((_, n) =>
      n === 0 ? { code: 'change/conflict', detail: 'Changed since' } : { archived: true },
    );
  const { user, asked } = open('/admin/products', {
    'POST /api/staff/changes/dry-run': ({ body }: { body: { items: unknown[] } }) => ({
      results: results(body.items),
    }),
    'POST /api/staff/changes': ({ body }: { body: { items: unknown[] } }) => ({
      status: 201,
      body: { id: 'c1', status: 'applied', results: results(body.items) },
    }),
  });
  await screen.findByText('MK-0');
  await user.click(cell('MK-0', 2));
  await user.keyboard('Мыло{Enter}Шампунь{Enter}');
  await user.click(screen.getByRole('button', { name: 'Review and apply' }));
  await user.click(await screen.findByRole('button', { name: 'Check' }));
  expect(await screen.findByText('Cannot be changed: 1')).toBeTruthy();
  expect(screen.getByRole('row', { name: /^MK-1 ?archived/ })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Apply' }));
  expect(await screen.findByText('Draft: 1 products, 1 values')).toBeTruthy();
  const sent = asked.find(({ path, method }) => method === 'POST' && path === '/api/staff/changes/')?.body;
  expect(sent).toMatchObject({
    partly: true,
    items: [
      { thing: 'product', id: 'p0', field: 'name', was: 'Крем 0', now: 'Мыло' },
      { thing: 'product', id: 'p1', field: 'name', was: 'Крем 1', now: 'Шампунь' },
    ],
  });
});

test('filters and the order stand in the address', async () => {
  const { user, asked } = open('/admin/products?stock=none');
  await screen.findByText('MK-0');
  await user.type(screen.getByRole('searchbox'), 'MK-24{Enter}');
  await waitFor(() =>
    expect(screen.getByTestId('address').textContent).toBe('/admin/products?stock=none&query=MK-24'),
  );
  expect(await screen.findByText('Found: 11')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Price' }));
  expect(asked.at(-1)?.query.get('sort')).toBe('price');
  expect(asked.at(-1)?.query.get('stock')).toBe('none');
});

test('whoever may only look changes nothing', async () => {
  const { user } = open('/admin/products', {}, { ...me, permissions: ['catalog.see'] });
  await screen.findByText('MK-0');
  await user.click(cell('MK-0', 3));
  await user.keyboard('5{Enter}');
  fireEvent.paste(cell('MK-0', 3), { clipboardData: { getData: () => '7' } });
  expect(screen.queryByText(/^Draft/)).toBeNull();
});

test('a formula changes every product that is found', async () => {
  const { user } = open();
  await screen.findByText('MK-0');
  await user.click(screen.getByRole('checkbox', { name: 'All that are found (250)' }));
  await user.click(screen.getByRole('button', { name: 'Change many' }));
  await user.clear(screen.getByRole('textbox', { name: 'Formula' }));
  await user.type(screen.getByRole('textbox', { name: 'Formula' }), 'price *');
  await user.click(screen.getByRole('button', { name: 'Change in the draft' }));
  expect(await screen.findByText('The formula is not understood from character 8')).toBeTruthy();
  await user.type(screen.getByRole('textbox', { name: 'Formula' }), ' 2');
  await user.click(screen.getByRole('button', { name: 'Change in the draft' }));
  expect(await screen.findByText('Draft: 250 products, 500 values')).toBeTruthy();
});
