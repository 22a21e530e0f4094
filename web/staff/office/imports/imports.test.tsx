import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { openPage, signedIn } from '../../testing/open';
import { keepSaved } from '../../testing/saved';
import { matchedTo } from './queries';

const me = signedIn('manager', 'catalog.see', 'catalog.change', 'changes.see');
const items = [
  {
    thing: 'product',
    id: 'p1',
    field: 'prices',
    was: { price: 4690, discounted_price: 3990 },
    now: { price: 4990, discounted_price: 4990 },
  },
];
const plan = {
  columns: [
    { theirs: 'Код', ours: 'article' },
    { theirs: 'Ценник', ours: 'price' },
  ],
  matched: { price: 'Ценник' } as Record<string, string>,
  count: 3,
  same: 1,
  rows: [{ line: 2, article: 'MK-1', name: 'Крем', new: false, first: 0, items: 1 }],
  items,
  bad: [
    { line: 3, field: 'price', reason: 'is no price', cells: ['MK-2', '=1+1'] },
    { line: 3, field: 'name', reason: 'is missing', cells: ['MK-2', '=1+1'] },
    { line: 4, field: '', reason: 'cell 1: broken quotes', cells: [] },
  ],
  refused: '',
};
const unmatched = {
  ...plan,
  columns: [
    { theirs: 'Код', ours: 'article' },
    { theirs: 'Ценник', ours: '' },
  ],
  matched: {},
  rows: [],
  items: [],
  bad: [],
  refused: 'the first line does not name the columns',
};

test('a file is matched by its columns, compared row by row, and applied as one change', async () => {
  const { user, asked } = openPage(
    '/admin/imports',
    {
      'POST /api/staff/imports/plan': ({ query }: { query: URLSearchParams }) =>
        query.get('columns') ? plan : unmatched,
      'POST /api/staff/changes': {
        status: 201,
        body: { id: 'c1', status: 'applied', needs: [], results: [] },
      },
    } as never,
    me,
  );
  const goods = new File(['Код;Ценник\nMK-1;4990\n'], 'goods.csv');
  await user.upload(await screen.findByLabelText(/^A file/), goods);
  expect(await screen.findByText(/does not name the columns/)).toBeTruthy();
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Ценник' }), 'price');
  expect(
    await screen.findByText(/Products in the file: 3\. New: 0, changed: 1, as they are: 1, bad: 3\./),
  ).toBeTruthy();
  expect(screen.getByText('is no price')).toBeTruthy();
  const saved = keepSaved();
  await user.click(screen.getByRole('button', { name: 'Download the bad rows' }));
  expect(saved).toMatchObject([{ name: 'bad-rows.csv', type: 'text/csv' }]);
  expect(await saved[0]?.text()).toBe(
    "\ufeffКод,Ценник,Reason\r\nMK-2,'=1+1,Price: is no price; Name: is missing\r\n,,cell 1: broken quotes\r\n",
  );
  await user.click(screen.getByRole('button', { name: 'Apply 1 rows' }));
  await waitFor(() =>
    expect(asked.find(({ path }) => path.endsWith('/changes/'))?.body).toEqual({
      title: 'Import of goods.csv',
      items,
      partly: true,
    }),
  );
  expect((await screen.findByRole('link', { name: 'Open the change' })).getAttribute('href')).toBe(
    '/admin/changes/c1',
  );

  // How the next file is matched, the shop remembers.
  await user.upload(screen.getByLabelText(/^A file/), new File(['Код;Ценник\nMK-1;5000\n'], 'next.csv'));
  await waitFor(() => expect(asked.filter(({ path }) => path.includes('/imports/plan'))).toHaveLength(3));
  const columns = asked
    .filter(({ path }) => path.includes('/imports/plan'))
    .map(({ query }) => query.get('columns'));
  expect(columns).toEqual([null, '{"price":"Ценник"}', null]);
});

test('columns that are matched before the shop has answered count together', async () => {
  const never = new Promise<never>(() => {});
  const { user, asked } = openPage(
    '/admin/imports',
    {
      'POST /api/staff/imports/plan': ({ query }: { query: URLSearchParams }) =>
        query.get('columns')
          ? never
          : { ...unmatched, columns: unmatched.columns.map((one) => ({ ...one, ours: '' })) },
    } as never,
    me,
  );
  await user.upload(await screen.findByLabelText(/^A file/), new File(['x'], 'goods.csv'));
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Код' }), 'article');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Ценник' }), 'price');
  await waitFor(() => expect(asked.at(-1)?.query.get('columns')).toBe('{"article":"Код","price":"Ценник"}'));
  expect(screen.getByRole('combobox', { name: 'Код' })).toHaveProperty('value', 'article');

  // What is stopped then has other columns than what is shown.
  await user.click(screen.getByRole('button', { name: 'Stop' }));
  expect(screen.queryByRole('button', { name: /^Apply/ })).toBeNull();
});

test('a column that is recognised can be left out, or taken for something else', () => {
  const found = {
    ...plan,
    columns: [
      { theirs: 'Артикул', ours: 'article' },
      { theirs: 'Цена', ours: 'price' },
      { theirs: 'Было', ours: 'old_price' },
    ],
    matched: { old_price: 'Было' } as Record<string, string>,
  };
  expect(matchedTo(found, 'Цена', '').matched).toEqual({ old_price: 'Было', price: '' });
  expect(matchedTo(found, 'Цена', 'stock').matched).toEqual({ old_price: 'Было', price: '', stock: 'Цена' });
  expect(matchedTo(found, 'Было', '').matched).toEqual({});
  expect(matchedTo(found, 'Было', 'price').matched).toEqual({ price: 'Было' });
  const without = {
    ...found,
    columns: [{ theirs: 'Цена', ours: '' }],
    matched: { price: '' } as Record<string, string>,
  };
  expect(matchedTo(without, 'Цена', 'price').matched).toEqual({ price: 'Цена' });
});

test('a comparison shows how far it is, and can be stopped', async () => {
  const { user } = openPage('/admin/imports', {}, me);
  const others = globalThis.fetch;
  const lines: ReadableStreamDefaultController<Uint8Array>[] = [];
  const signals: AbortSignal[] = [];
  vi.stubGlobal('fetch', (request: Request) => {
    if (!request.url.includes('/imports/plan')) return others(request);
    signals.push(request.signal);
    return Promise.resolve(new Response(new ReadableStream({ start: (to) => void lines.push(to) })));
  });
  const say = (at: number, text: string) =>
    act(async () => lines[at]?.enqueue(new TextEncoder().encode(text)));
  const goods = new File(['x'], 'goods.csv');
  await user.upload(await screen.findByLabelText(/^A file/), goods);
  await waitFor(() => expect(lines).toHaveLength(1));
  await say(0, '{"share":0.25}\n{"sha');
  expect((await screen.findByRole('progressbar')).getAttribute('aria-valuenow')).toBe('25');
  await say(0, 're":0.5}\n');
  await waitFor(() => expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('50'));
  await user.click(screen.getByRole('button', { name: 'Stop' }));
  expect(signals[0]?.aborted).toBe(true);
  expect(screen.queryByRole('progressbar')).toBeNull();

  await user.upload(screen.getByLabelText(/^A file/), goods);
  await waitFor(() => expect(lines).toHaveLength(2));
  await say(1, `{"share":0.9}\n${JSON.stringify(plan)}`);
  await act(async () => lines[1]?.close());
  expect(await screen.findByText(/Products in the file: 3/)).toBeTruthy();

  await user.upload(screen.getByLabelText(/^A file/), goods);
  await waitFor(() => expect(lines).toHaveLength(3));
  await say(2, '{"share":0.9}\n{"detail":"Something went wrong. Try again later."}');
  await act(async () => lines[2]?.close());
  expect(await screen.findByText('Something went wrong. Try again later.')).toBeTruthy();
});

/** Opens the page with a planned file whose change is told line by line as the test says. */
async function applying() {
  const page = openPage('/admin/imports', { 'POST /api/staff/imports/plan': plan } as never, me);
  const others = globalThis.fetch;
  const lines: ReadableStreamDefaultController<Uint8Array>[] = [];
  const signals: AbortSignal[] = [];
  vi.stubGlobal('fetch', (request: Request) => {
    if (!request.url.includes('/changes/') || request.method !== 'POST') return others(request);
    signals.push(request.signal);
    return Promise.resolve(new Response(new ReadableStream({ start: (to) => void lines.push(to) })));
  });
  await page.user.upload(await screen.findByLabelText(/^A file/), new File(['x'], 'goods.csv'));
  await page.user.click(await screen.findByRole('button', { name: 'Apply 1 rows' }));
  await waitFor(() => expect(lines).toHaveLength(1));
  const say = (text: string) => act(async () => lines[0]?.enqueue(new TextEncoder().encode(text)));
  return { ...page, say, end: () => act(async () => lines[0]?.close()), signals };
}

test('applying shows how far the check is, and can be stopped until it writes', async () => {
  const { say, end, signals } = await applying();
  await say('{"share":0.25}\n');
  const bar = await screen.findByRole('progressbar', { name: 'Checking the rows…' });
  expect(bar.getAttribute('aria-valuenow')).toBe('25');
  expect(screen.queryByRole('table', { name: 'What changes' })).toBeNull(); // it would hide how far it is
  await say('{"share":1}\n');
  expect(await screen.findByText('Applying…')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull();
  expect(screen.queryByRole('progressbar')).toBeNull();
  await say(
    JSON.stringify({ id: 'c1', status: 'applied', needs: [], because: [], results: [], position: 71 }),
  );
  await end();
  expect(await screen.findByText('Applied.')).toBeTruthy();
  expect(signals[0]?.aborted).toBe(false);
});

test('applying that is stopped says that nothing is applied, and where to look', async () => {
  const { user, say, signals } = await applying();
  await say('{"share":0.25}\n');
  await user.click(await screen.findByRole('button', { name: 'Stop' }));
  expect(signals[0]?.aborted).toBe(true);
  expect(await screen.findByText(/Stopped, nothing is applied/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'changes' }).getAttribute('href')).toBe('/admin/changes');
  expect(screen.getAllByRole('alert').filter(({ textContent }) => textContent)).toEqual([]);
  expect(screen.getByRole('button', { name: 'Apply 1 rows' })).toHaveProperty('disabled', false);
});

test('what the shop did not take of a file is told by line, a brand that the file adds too', async () => {
  const added = { thing: 'brand', id: 'b1', field: 'whole', was: null, now: { name: 'Тұз', link: 'tuz' } };
  const more = {
    ...plan,
    rows: [{ line: 2, article: 'MK-1', name: 'Крем', new: false, first: 0, items: 2 }],
    items: [added, ...items],
  };
  const result = (of: object, outcome: string, detail: string) => ({ ...of, outcome, code: '', detail });
  const { user } = openPage(
    '/admin/imports',
    {
      'POST /api/staff/imports/plan': more,
      'POST /api/staff/changes': {
        status: 201,
        body: {
          id: 'c1',
          status: 'applied',
          needs: [],
          results: [
            result(added, 'refused', 'Another thing has this link.'),
            result(items[0] as object, 'conflict', ''),
          ],
        },
      },
    } as never,
    me,
  );
  await user.upload(await screen.findByLabelText(/^A file/), new File(['x'], 'goods.csv'));
  await user.click(await screen.findByRole('button', { name: 'Apply 1 rows' }));
  const left = await screen.findByRole('table', { name: 'Not applied' });
  const rows = within(left).getAllByRole('row').slice(1);
  expect(rows.map((row) => row.textContent)).toEqual([
    '2Brand ТұзAnother thing has this link.',
    '2Product MK-1: Pricechanged meanwhile',
  ]);
});

test('a file that is too large is refused before it is sent', async () => {
  const { user, asked } = openPage('/admin/imports', {}, me);
  const huge = new File(['a'], 'huge.xlsx');
  Object.defineProperty(huge, 'size', { value: 100 << 20 });
  await user.upload(await screen.findByLabelText(/^A file/), huge);
  expect((await screen.findByText(/larger than 32 MB/)).getAttribute('role')).toBe('alert');
  expect(asked.some(({ path }) => path.includes('imports'))).toBe(false);
});
