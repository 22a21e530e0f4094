import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, signedIn } from '../../testing/open';
import { row } from '../products/testing';
import { type Entry, itemsOf } from './entries';

const me = signedIn('manager', 'catalog.see', 'catalog.change', 'orders.see');

const entry = (facts: Partial<Entry>): Entry => ({
  id: 'c1',
  link: 'lico',
  name: 'Лицо',
  description: '',
  kazakh: { name: '', description: '' },
  parent_id: null,
  order: 1,
  placeholder: '',
  picture: null,
  logo: null,
  archived: false,
  products: 0,
  ...facts,
});
const face = entry({});
const creams = entry({ id: 'c2', name: 'Кремы', link: 'kremy', parent_id: 'c1', products: 2 });
const body = entry({ id: 'c3', name: 'Тело', link: 'telo', order: 2 });
const shop = (more = {}) => ({
  'GET /api/staff/catalog/category': { results: [face, body, creams] },
  'POST /api/staff/changes': { status: 201, body: { id: 'x', status: 'applied', needs: [], results: [] } },
  ...more,
});
const sent = (asked: { method: string; path: string; body: unknown }[]) =>
  (
    asked.find(({ method, path }) => method === 'POST' && path.includes('/changes')) as {
      body: { items: unknown[] };
    }
  ).body.items;

test('a category is carried by the keyboard under another parent, in one change', async () => {
  const { user, asked } = openPage('/admin/categories', shop(), me);
  const handle = await screen.findByRole('button', { name: 'Move “Тело”' });
  handle.focus();
  await user.keyboard('[Space][ArrowUp]');
  expect(screen.getByText('“Тело”: inside “Лицо”, place 1 of 2')).toBeTruthy();
  await user.keyboard('{Escape}');
  expect(screen.getByText('“Тело” stays where it was')).toBeTruthy();
  await user.keyboard('[Space][ArrowRight]');
  expect(screen.getByText('“Тело”: inside “Лицо”, place 2 of 2')).toBeTruthy();
  await user.keyboard('[Space]');
  await screen.findByText('Saved');
  expect(sent(asked)).toEqual([
    {
      thing: 'category',
      id: 'c3',
      field: 'parent_id',
      was: '00000000-0000-0000-0000-000000000000',
      now: 'c1',
    },
  ]);
});

test('entries of the past lead to the products of then', async () => {
  const hrefs = () =>
    screen.getAllByRole('link', { name: /Products of/ }).map((link) => link.getAttribute('href'));
  const { unmount } = openPage('/admin/categories?at=7', shop(), me);
  await screen.findByText('Тело');
  expect(hrefs()).toContain('/admin/products?category=c3&at=7');
  unmount();
  openPage('/admin/brands?at=7', shop({ 'GET /api/staff/catalog/brand': { results: [entry({})] } }), me);
  await screen.findByText('Лицо');
  expect(hrefs()).toContain('/admin/products?brand=c1&at=7');
});

test('a closed parent hides what is in it until it opens', async () => {
  const { user } = openPage('/admin/categories', shop(), me);
  await user.click(await screen.findByRole('button', { name: 'Inside “Лицо”' }));
  expect(screen.queryByText('Кремы')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Expand all' }));
  expect(screen.getByText('Кремы')).toBeTruthy();
});

test('an arrow moves a category one place, and the others make room', async () => {
  const { user, asked } = openPage('/admin/categories', shop(), me);
  await user.click(await screen.findByRole('button', { name: '“Тело” up' }));
  await screen.findByText('Saved');
  expect(sent(asked)).toEqual([
    { thing: 'category', id: 'c3', field: 'order', was: 2, now: 1 },
    { thing: 'category', id: 'c1', field: 'order', was: 1, now: 2 },
  ]);
});

test('a mark has no link, and a form that nobody touched changes nothing', () => {
  const values = {
    name: 'Лицо',
    nameKazakh: '',
    link: 'lico',
    description: '',
    descriptionKazakh: '',
    parent_id: '',
  };
  for (const kind of ['category', 'brand', 'mark'] as const)
    expect(itemsOf(kind, face, values, 1)).toEqual([]);
  expect(itemsOf('mark', undefined, values, 1)).toEqual([
    {
      thing: 'mark',
      id: expect.any(String),
      field: 'whole',
      was: null,
      now: { name: 'Лицо', description: '', kazakh: { name: '', description: '' } },
    },
  ]);
});

test('a category leaves with a new place for its products, in one change', async () => {
  const { user, asked } = openPage(
    '/admin/categories',
    shop({
      'GET /api/staff/products': {
        count: 2,
        results: [row({ id: 'p1', category_id: 'c2' }), row({ id: 'p2', category_id: 'c2' })],
      },
    }),
    me,
  );
  await user.click(await screen.findByRole('button', { name: 'Archive “Кремы”' }));
  const dialog = screen.getByRole('dialog', { name: /Archive/ });
  const act = within(dialog).getByRole('button', { name: 'Archive' });
  expect(act.hasAttribute('disabled')).toBe(true);
  await user.selectOptions(within(dialog).getByRole('combobox'), 'c3');
  await user.click(act);
  expect(await screen.findByText('Saved')).toBeTruthy();
  expect(sent(asked)).toEqual([
    { thing: 'product', id: 'p1', field: 'category_id', was: 'c2', now: 'c3' },
    { thing: 'product', id: 'p2', field: 'category_id', was: 'c2', now: 'c3' },
    { thing: 'category', id: 'c2', field: 'archived', was: false, now: true },
  ]);
});

test('a category is edited by the fields that differ', async () => {
  const { user, asked } = openPage('/admin/categories', shop(), me);
  await user.click(await screen.findByRole('button', { name: 'Edit “Тело”' }));
  const name = screen.getByLabelText('Name');
  await user.clear(name);
  await user.type(name, 'Уход за телом');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(sent(asked)).toEqual([
    { thing: 'category', id: 'c3', field: 'name', was: 'Тело', now: 'Уход за телом' },
  ]);
});

test('a category is told in Kazakh, and a brand described in it', async () => {
  const { user, asked, unmount } = openPage('/admin/categories', shop(), me);
  await user.click(await screen.findByRole('button', { name: 'Edit “Тело”' }));
  await user.type(screen.getByLabelText(/^Name in Kazakh/), 'Дене күтімі');
  await user.type(screen.getByLabelText(/^Description in Kazakh/), 'Күн сайын');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(sent(asked)).toEqual([
    {
      thing: 'category',
      id: 'c3',
      field: 'kazakh',
      was: { name: '', description: '' },
      now: { name: 'Дене күтімі', description: 'Күн сайын' },
    },
  ]);
  unmount();
  const told = entry({ id: 'b1', name: 'KALM', kazakh: { name: '', description: 'Бұрын' } });
  const brands = openPage('/admin/brands', shop({ 'GET /api/staff/catalog/brand': { results: [told] } }), me);
  await brands.user.click(await screen.findByRole('button', { name: 'Edit “KALM”' }));
  expect(screen.queryByLabelText(/^Name in Kazakh/)).toBeNull();
  await brands.user.type(screen.getByLabelText(/^Description in Kazakh/), ' та');
  await brands.user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(sent(brands.asked)).toEqual([
    { thing: 'brand', id: 'b1', field: 'description_kk', was: 'Бұрын', now: 'Бұрын та' },
  ]);
});

test('Ctrl-K leads to screens, orders and products by keyboard alone', async () => {
  const { user } = openPage(
    '/admin/categories',
    shop({ 'GET /api/staff/products': { count: 1, results: [row()] } }),
    me,
  );
  await screen.findByText('Тело');
  await user.keyboard('{Control>}k{/Control}');
  const field = await screen.findByRole('combobox', { name: /^Screen, action/ });
  await user.type(field, '100001');
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/admin/orders/100001'));
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox', { name: /^Screen, action/ }), 'крем');
  await screen.findByText('MK-1 Крем');
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/admin/products/MK-1'));
});

test('Ctrl-K finds what may be begun, and the languages of the pages', async () => {
  const { user } = openPage('/admin/categories', shop({}), me);
  await screen.findByText('Тело');
  await user.keyboard('{Control>}k{/Control}');
  const field = await screen.findByRole('combobox', { name: /^Screen, action/ });
  await user.type(field, 'promo code');
  await screen.findByText('Nothing found');
  await user.clear(field);
  await user.type(field, 'new product');
  await screen.findByRole('option', { name: 'New product action' });
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/admin/products/new'));
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox', { name: /^Screen, action/ }), 'русский');
  await user.keyboard('{Enter}');
  await waitFor(() => expect(document.documentElement.lang).toBe('ru'));
});
