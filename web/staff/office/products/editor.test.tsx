import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, signedIn } from '../../testing/open';
import { changesOf, checkedDigit, formOf, type ProductSheet, sheetSchema } from './sheet';
import { groups, row } from './testing';

const me = signedIn('manager', 'catalog.see', 'catalog.change', 'stock.change', 'costs.see');

const sheet = (facts: Partial<ProductSheet> = {}): ProductSheet => ({
  id: 'p1',
  article: 'MK-1',
  link: 'mk-1',
  version: 5,
  brand_id: null,
  category_id: 'c1',
  name: 'Крем',
  description: 'Мягкий',
  composition: 'Aqua',
  expires: '',
  apply_method: '',
  package_size: '50 мл',
  made_in: '',
  kazakh: { name: '', description: '', expires: '', apply_method: '', package_size: '', made_in: '' },
  price: 1000,
  discounted_price: 1000,
  pictures: [{ src: '/media/a.jpg' }, { src: '/media/b.jpg' }],
  marks: ['m1'],
  archived: false,
  low_line: null,
  shelf: '',
  gtin: '',
  measure: { weight: 0, length: 0, width: 0, height: 0 },
  cost: 0,
  on_hand: 5,
  reserved: 0,
  available: 5,
  ...facts,
});

test('a barcode is checked by its last digit', () => {
  expect(['4006381333931', '96385074', '036000291452', '10614141000415'].map(checkedDigit)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(checkedDigit('4006381333932')).toBe(false);
});

test('a form that nobody touched changes nothing, whatever the product is like', () => {
  for (const facts of [
    {},
    { discounted_price: 900 },
    { cost: null },
    { cost: 400, gtin: '96385074' },
    { brand_id: 'b1', archived: true },
  ]) {
    const one = sheet(facts);
    expect(changesOf(one, sheetSchema.parse(formOf(one)))).toEqual([]);
  }
});

test('a product is changed as one change of the fields that differ', async () => {
  const { user, asked } = openPage(
    '/admin/products/MK-1',
    {
      'GET /api/staff/products/MK-1': sheet(),
      'GET /api/staff/products/groups': groups,
      'POST /api/staff/changes': { id: 'c1', status: 'applied', results: [] },
    },
    me,
  );
  const name = await screen.findByLabelText('Name');
  await user.clear(name);
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Fill this in')).toBeTruthy();
  await user.type(name, 'Мыло');
  await user.type(screen.getByLabelText(/^Name in Kazakh/), 'Сабын');
  await user.type(screen.getByLabelText(/^Barcode/), '4006381333932');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/last digit does not fit/)).toBeTruthy();
  await user.clear(screen.getByLabelText(/^Barcode/));
  await user.type(screen.getByLabelText(/^Barcode/), '4006381-333931');
  await user.type(screen.getByLabelText(/^Weight/), '120');
  await user.click(screen.getByRole('button', { name: 'Picture 2 earlier' }));
  await user.type(screen.getByLabelText('What picture 1 shows'), 'Банка');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/Fields saved: 5/)).toBeTruthy();
  const sent = asked.find(({ method, path }) => method === 'POST' && path === '/api/staff/changes/');
  const { items } = (sent as { body: unknown }).body as {
    items: { field: string; was: unknown; now: unknown }[];
  };
  expect(Object.fromEntries(items.map(({ field, now }) => [field, now]))).toEqual({
    name: 'Мыло',
    gtin: '4006381333931',
    measure: { weight: 120, length: 0, width: 0, height: 0 },
    kazakh: { ...sheet().kazakh, name: 'Сабын' },
    pictures: [{ src: '/media/b.jpg', alt: 'Банка' }, { src: '/media/a.jpg' }],
  });
  expect(items.find(({ field }) => field === 'name')?.was).toBe('Крем');
});

test('a product is shown as it was, and the past cannot be changed', async () => {
  const { user, asked } = openPage(
    '/admin/products/MK-1?at=2026-03-01T09:30:00%2B05:00',
    {
      'GET /api/staff/products/MK-1': (one: { query: URLSearchParams }) =>
        sheet({ name: one.query.get('at') ? 'Старый крем' : 'Крем' }),
      'GET /api/staff/products/groups': groups,
    } as never,
    me,
  );
  const name = (await screen.findByLabelText('Name')) as HTMLInputElement;
  expect(name.value).toBe('Старый крем');
  expect(name.closest('fieldset[disabled]')).not.toBe(null);
  expect((screen.getByLabelText('As it was at') as HTMLInputElement).value).toBe('2026-03-01T09:30');
  expect(asked.find(({ path }) => path === '/api/staff/products/MK-1/')?.query.get('at')).toBe(
    '2026-03-01T09:30:00+05:00',
  );
  expect(screen.queryByRole('button', { name: 'Save' })).toBe(null);
  await user.click(screen.getByRole('button', { name: 'Back to the present' }));
  await screen.findByRole('button', { name: 'Save' });
  expect((screen.getByLabelText('Name') as HTMLInputElement).value).toBe('Крем');
});

test('before it was there, a product says so and leads back to the present', async () => {
  const { user } = openPage(
    '/admin/products/MK-1?at=1',
    {
      'GET /api/staff/products/MK-1': (one: { query: URLSearchParams }) =>
        one.query.get('at')
          ? { status: 404, body: { detail: 'There is no such entry in the catalog.' } }
          : sheet(),
      'GET /api/staff/products/groups': groups,
    } as never,
    me,
  );
  await screen.findByRole('heading', { name: 'This product was not there then' });
  await user.click(screen.getByRole('button', { name: 'Back to the present' }));
  expect(((await screen.findByLabelText('Name')) as HTMLInputElement).value).toBe('Крем');
});

test('names of ingredients that nobody knows are told, and mended', async () => {
  const { user } = openPage(
    '/admin/products/MK-1',
    {
      'GET /api/staff/products/MK-1': sheet(),
      'GET /api/staff/products/groups': groups,
      'POST /api/staff/products/composition': ({ body }: { body: { composition: string } }) => ({
        results: body.composition.includes('Glycerinn') ? [{ name: 'Glycerinn', near: ['Glycerin'] }] : [],
      }),
    } as never,
    me,
  );
  const composition = (await screen.findByLabelText(/^Composition/)) as HTMLTextAreaElement;
  await user.type(composition, ', Glycerinn');
  await user.tab();
  await user.click(await screen.findByRole('button', { name: 'Put Glycerin in the place of Glycerinn' }));
  expect(composition.value).toBe('Aqua, Glycerin');
  await waitFor(() => expect(screen.queryByText(/These names are neither/)).toBe(null));
});

test('a product is looked at on its page before it is saved', async () => {
  const { user, asked } = openPage(
    '/admin/products/MK-1',
    {
      'GET /api/staff/products/MK-1': sheet(),
      'GET /api/staff/products/groups': groups,
      'POST /api/staff/changes': { id: 'c1', status: 'waiting', needs: ['draft'], results: [] },
    },
    me,
  );
  await user.type(await screen.findByLabelText('Name'), ' с алоэ');
  await user.click(screen.getByRole('button', { name: 'Look first' }));
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/admin/changes/c1/preview'));
  const sent = asked.find(({ method, path }) => method === 'POST' && path === '/api/staff/changes/');
  expect(sent?.body).toMatchObject({ draft: true, items: [{ field: 'name', now: 'Крем с алоэ' }] });
});

test('a refused field is told beside it', async () => {
  const { user } = openPage(
    '/admin/products/MK-1',
    {
      'GET /api/staff/products/MK-1': sheet(),
      'GET /api/staff/products/groups': groups,
      'POST /api/staff/changes': {
        status: 409,
        body: {
          detail: 'Some items cannot be changed.',
          code: 'change/items',
          results: [{ outcome: 'refused', code: 'product/shelf', detail: 'There is no such shelf' }],
        },
      },
    },
    me,
  );
  const shelf = await screen.findByLabelText(/^Shelf/);
  await user.type(shelf, 'A-1');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('There is no such shelf')).toBeTruthy();
  expect(shelf.getAttribute('aria-invalid')).toBe('true');
});

test('what two people changed is merged field by field, and asked for where both changed one', async () => {
  let sent = 0;
  const answers = [
    // Somebody else saved another name and another text in Kazakh meanwhile.
    {
      status: 409,
      body: {
        detail: 'Some items cannot be changed.',
        code: 'change/items',
        results: [
          { outcome: 'conflict', code: 'change/conflict', found: 'Крем для рук' },
          { outcome: 'done', code: '' },
          {
            outcome: 'conflict',
            code: 'change/conflict',
            found: { ...sheet().kazakh, made_in: 'Қазақстан' },
          },
        ],
      },
    },
    { status: 201, body: { id: 'c1', status: 'applied', needs: [], results: [] } },
  ];
  const { user, asked } = openPage(
    '/admin/products/MK-1',
    {
      'GET /api/staff/products/MK-1': sheet(),
      'GET /api/staff/products/groups': groups,
      'POST /api/staff/presence': {
        results: [{ email: 'anna@shop.example', editing: true, since: '2026-03-03T07:00:00Z' }],
      },
      'POST /api/staff/changes': () => answers[sent++],
    } as never,
    me,
  );
  expect(await screen.findByText('Also open now with: anna@shop.example (changing it)')).toBeTruthy();
  const name = screen.getByLabelText('Name');
  await user.clear(name);
  await user.type(name, 'Мыло');
  await user.type(screen.getByLabelText(/^Shelf/), 'A-1');
  await user.type(screen.getByLabelText(/^Name in Kazakh/), 'Сабын');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  const dialog = await screen.findByRole('dialog', { name: 'Somebody changed this too' });
  expect(within(dialog).getAllByRole('group').length).toBe(1); // the Kazakh texts merge by themselves
  await user.click(within(dialog).getByRole('radio', { name: /Крем для рук/ }));
  await user.click(within(dialog).getByRole('button', { name: 'Save what I chose' }));
  await screen.findByText(/Fields saved/);
  const said = asked.filter(({ method, path }) => method === 'POST' && path === '/api/staff/changes/');
  expect((said.at(-1) as { body: { items: unknown } }).body.items).toMatchObject([
    { field: 'shelf', was: '', now: 'A-1' },
    {
      field: 'kazakh',
      was: { name: '', made_in: 'Қазақстан' },
      now: { name: 'Сабын', made_in: 'Қазақстан' },
    },
  ]);
  expect(asked.find(({ path }) => path === '/api/staff/presence/')?.body).toEqual({
    thing: 'product',
    id: 'p1',
    editing: false,
  });
  expect(asked.some(({ body }) => (body as { editing?: boolean } | undefined)?.editing)).toBe(true);
});

test('a conflict with the very value that was seen is told, and not sent again', async () => {
  let sent = 0;
  const { user } = openPage(
    '/admin/products/MK-1',
    {
      'GET /api/staff/products/MK-1': sheet(),
      'GET /api/staff/products/groups': groups,
      'POST /api/staff/changes': () => {
        sent++;
        return {
          status: 409,
          body: {
            detail: 'Some items cannot be changed.',
            code: 'change/items',
            results: [{ outcome: 'conflict', code: 'change/conflict', detail: 'It is so', found: '' }],
          },
        };
      },
    } as never,
    me,
  );
  await user.type(await screen.findByLabelText(/^Shelf/), 'A-1');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('It is so')).toBeTruthy();
  expect(sent).toBe(1);
});

test('a taken article is told beside the field', async () => {
  const { user } = openPage(
    '/admin/products/new',
    {
      'GET /api/staff/products/groups': groups,
      'POST /api/staff/products': { status: 400, body: { article: ['Another product has this article.'] } },
    },
    me,
  );
  await user.type(await screen.findByLabelText('Article'), 'MK-1');
  await user.type(screen.getByLabelText('Name'), 'Крем');
  await user.type(screen.getByLabelText('Price'), '900');
  await user.selectOptions(screen.getByLabelText('Category'), 'c1');
  await user.click(screen.getByRole('button', { name: 'New product' }));
  expect(await screen.findAllByText(/Another product has this article/)).toBeTruthy();
  expect(screen.getByLabelText('Article').getAttribute('aria-invalid')).toBe('true');
});

test('a delivery is scanned, and taken in under one key however often it is sent', async () => {
  localStorage.clear();
  const { user, asked } = openPage(
    '/admin/stock',
    {
      'GET /api/staff/products': ({ query }: { query: URLSearchParams }) => ({
        count: 1,
        results: query.get('code') === 'MK-1' ? [row()] : [],
      }),
      'POST /api/staff/stock/receipts': () =>
        asked.filter(({ method }) => method === 'POST').length === 1
          ? { status: 503, body: {} }
          : { status: 201, body: { id: 'c1', status: 'applied', needs: [], results: [] } },
    },
    me,
  );
  const field = await screen.findByLabelText('Article or barcode');
  await user.type(field, 'MK-1{Enter}');
  await screen.findByText('MK-1 Крем');
  await user.type(field, 'nothing{Enter}');
  expect(await screen.findByText(/No product has the code/)).toBeTruthy();
  await user.type(field, 'MK-1{Enter}');
  expect(await screen.findByText('Products: 1, pieces: 2')).toBeTruthy();
  expect(document.activeElement).toBe(field);
  await user.click(screen.getByRole('button', { name: 'Take in' }));
  await user.click(await screen.findByRole('button', { name: 'Take in' }));
  expect(await screen.findByText('Products taken in: 1')).toBeTruthy();
  const [one, other] = asked
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => body as { id: string });
  expect(one).toMatchObject({ lines: [{ product: 'p1', quantity: 2 }] });
  expect(other?.id).toBe(one?.id);
});

test('a delivery that waits for a second person says so, and leaves the list', async () => {
  localStorage.clear();
  const { user } = openPage(
    '/admin/stock',
    {
      'GET /api/staff/products': { count: 1, results: [row()] },
      'POST /api/staff/stock/receipts': {
        status: 201,
        body: { id: 'c1', status: 'waiting', needs: ['many'], results: [] },
      },
    },
    me,
  );
  await user.type(await screen.findByLabelText('Article or barcode'), 'MK-1{Enter}');
  await user.click(await screen.findByRole('button', { name: 'Take in' }));
  expect(await screen.findByText('Waits until a second person approves it.')).toBeTruthy();
  expect(screen.queryByText(/Products taken in/)).toBeNull();
  expect(screen.queryByText('Products: 1, pieces: 1')).toBeNull();
  expect(JSON.parse(localStorage.getItem(`dala.stock.receive.${me.id}`) ?? '{}').lines).toEqual([]);
});

test('a count records what differs', async () => {
  localStorage.clear();
  const { user, asked } = openPage(
    '/admin/stock?mode=count',
    {
      'GET /api/staff/products': { count: 1, results: [row()] },
      'POST /api/staff/changes': { id: 'c1', status: 'applied', results: [] },
    },
    me,
  );
  await user.type(await screen.findByLabelText('Article or barcode'), 'MK-1{Enter}');
  const line = (await screen.findByText('−4')).closest('tr') as HTMLElement;
  await user.clear(within(line).getByRole('spinbutton'));
  await user.type(within(line).getByRole('spinbutton'), '7');
  await user.click(screen.getByRole('button', { name: 'Record the count' }));
  expect(await screen.findByText('Stocks corrected: 1')).toBeTruthy();
  expect(asked.find(({ method }) => method === 'POST')?.body).toMatchObject({
    items: [{ thing: 'stock', id: 'p1', field: 'on_hand', was: 5, now: 7 }],
  });
});
