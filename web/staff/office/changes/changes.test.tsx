import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, signedIn } from '../../testing/open';
import type { ChangeItem, ChangeRow } from './queries';

const me = signedIn('manager', 'changes.see', 'changes.propose', 'changes.approve');

const item: ChangeItem = {
  n: 0,
  thing: 'product',
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f70',
  name: 'Крем',
  article: 'MK-1',
  field: 'prices',
  was: { price: 9000, discounted_price: 9000 },
  now: { price: 9000, discounted_price: 8100 },
  outcome: 'done',
  ended: '',
  found: null,
  code: '',
  detail: '',
  hidden: false,
};

const change = (facts: Partial<ChangeRow>): ChangeRow => ({
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f61',
  title: 'Spring sale',
  reason: '',
  proposed_by: 'staff:0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f62',
  proposed_name: 'dana@shop.example',
  proposed_at: '2026-11-23T05:00:00Z',
  items: 1,
  status: 'applied',
  needs: [],
  things: ['product'],
  starts_at: null,
  ends_at: null,
  undoes: null,
  undone_by: null,
  report: null,
  decided_by: '',
  decided_name: '',
  decided_at: null,
  decision_reason: '',
  override: false,
  done: 1,
  conflicts: 0,
  refused: 0,
  put_back: 0,
  kept: 0,
  applied_at: '2026-11-23T05:00:00Z',
  ended_at: null,
  first: item,
  ...facts,
});

const path = `/admin/changes/${change({}).id}`;
const call = `/api/staff/changes/${change({}).id}`;

test('the list says who changed what, from what to what', async () => {
  openPage(
    '/admin/changes',
    { 'GET /api/staff/changes': { results: [change({})], next: null, named: { by: '', thing: '' } } },
    me,
  );
  const row = within((await screen.findByRole('link', { name: 'Spring sale' })).closest('tr') as HTMLElement);
  expect(row.getByText('9,000 ₸')).toBeTruthy();
  expect(row.getByText(/^8,100\s₸ instead of 9,000\s₸$/)).toBeTruthy();
  expect(row.getByRole('button', { name: 'dana@shop.example' })).toBeTruthy();
});

test('an undo says before what it leaves, and takes it back by choice', async () => {
  const { user, asked } = openPage(
    path,
    {
      [`GET ${call}`]: { ...change({}), because: [], page: [item] },
      [`POST ${call}/undo/dry-run`]: {
        needs: [],
        because: [],
        results: [
          {
            ...{ thing: item.thing, id: item.id, field: item.field, was: item.now, now: item.was },
            outcome: 'conflict',
            found: { price: 7000, discounted_price: 7000 },
            code: 'change/conflict',
            detail: '',
            undoes: 0,
          },
          {
            ...{ thing: 'product', id: 'far', field: item.field, was: item.now, now: item.was },
            outcome: 'conflict',
            found: { price: 6000, discounted_price: 6000 },
            code: 'change/conflict',
            detail: '',
            undoes: 700,
          },
          {
            ...{ thing: 'stock', id: item.id, field: 'received', was: 12, now: 12 },
            outcome: 'refused',
            found: null,
            code: 'change/few-left',
            detail: 'Fewer pieces are free than would go.',
            undoes: 1,
          },
        ],
        stays: [{ thing: item.thing, id: item.id, reason: 'shoppers', count: 3 }],
      },
      [`POST ${call}/undo`]: { id: change({}).id, status: 'applied', needs: [], because: [], results: [] },
    },
    me,
  );
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  const dialog = within(await screen.findByRole('dialog'));
  const choice = await dialog.findByRole('checkbox', {
    name: /^Крем, price: now 7,000\s₸, put back 9,000\s₸$/,
  });
  expect(dialog.getByRole('button', { name: 'Undo' })).toHaveProperty('disabled', true);
  expect(
    dialog.getByText(/received: fewer pieces are free than would go: the others are sold$/),
  ).toBeTruthy();
  expect(dialog.getByText(/^Крем \(3\): what shoppers did/)).toBeTruthy();
  expect(dialog.getByText('What no change takes back')).toBeTruthy();
  await user.click(choice);
  // Also what is on no page that is shown.
  await user.click(dialog.getByRole('checkbox', { name: 'Put back all that was changed since (2)' }));
  await user.type(dialog.getByLabelText('Why'), 'a slip');
  await user.click(dialog.getByRole('button', { name: 'Undo' }));
  const sent = asked.map(({ body }) => JSON.stringify(body)).join(' ');
  expect(sent).toContain('"force":[0,700]');
  expect(sent).toContain('a slip');
  // It is not tried again once it is done: the shop would refuse that.
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(asked.filter(({ path }) => path.includes('/undo/dry-run'))).toHaveLength(1);
});

test('a change that has ended is undone where its end left something, and says what that is', async () => {
  const ended = { status: 'ended', done: 2, ended_at: '2026-11-24T05:00:00Z' } as const;
  const page: ChangeItem[] = [
    { ...item, ended: 'conflict', found: { price: 9000, discounted_price: 7000 } },
    { ...item, n: 1, id: 'far', name: 'Мыло', ended: 'done' },
  ];
  const left = openPage(
    path,
    {
      [`GET ${call}`]: { ...change({ ...ended, put_back: 1, kept: 1 }), because: [], page },
      [`POST ${call}/undo/dry-run`]: { needs: [], because: [], results: [], stays: [] },
    },
    me,
  );
  await screen.findByText('1 stayed');
  expect(screen.getAllByRole('row', { name: /stayed at the end/ })).toHaveLength(1);
  expect(screen.getAllByRole('row', { name: /went back at the end/ })).toHaveLength(1);
  await left.user.click(screen.getByRole('button', { name: 'Undo' }));
  await within(screen.getByRole('dialog')).findByText(/^The change has ended/);
  left.unmount();
  const back = openPage(
    path,
    { [`GET ${call}`]: { ...change({ ...ended, put_back: 2 }), because: [], page: [item] } },
    me,
  );
  await screen.findByText('Ended');
  expect(screen.queryByRole('button', { name: 'Undo' })).toBe(null);
  back.unmount();
  // What stayed at the end is the undo's to tell now.
  openPage(
    path,
    {
      [`GET ${call}`]: {
        ...change({ ...ended, status: 'undone', put_back: 1, kept: 1 }),
        because: [],
        page: [item],
      },
    },
    me,
  );
  await screen.findByText('Undone', { selector: 'div' });
  expect(screen.queryByText('1 stayed')).toBe(null);
});

test('somebody else approves a change, who proposed it does not', async () => {
  const waiting: Partial<ChangeRow> = { status: 'waiting', needs: ['role'], done: 0 };
  const theirs = openPage(path, { [`GET ${call}`]: { ...change(waiting), because: [], page: [item] } }, me);
  expect(await screen.findByRole('button', { name: 'Approve' })).toBeTruthy();
  theirs.unmount();
  openPage(
    path,
    {
      [`GET ${call}`]: {
        ...change({ ...waiting, proposed_by: `staff:${me.id}` }),
        because: [],
        page: [item],
      },
    },
    me,
  );
  expect(await screen.findByRole('button', { name: 'Cancel the change' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull();
});

test('a change says which rule asks for a second person, and how far it goes beyond it', async () => {
  const waiting = change({
    status: 'waiting',
    needs: ['role', 'price-cut', 'many'],
    override: true,
    done: 0,
  });
  const because = [
    { rule: 'price-cut', found: 35, bound: 20, thing: item.thing, id: item.id },
    { rule: 'many', found: 120, bound: 50 },
  ];
  openPage(path, { [`GET ${call}`]: { ...waiting, because, page: [item] } }, me);
  expect(await screen.findByText(/^the price falls by 35\s%, the rule says 20\s% \(“Крем”\)$/)).toBeTruthy();
  expect(screen.getByText('120 products change, one person may change 50')).toBeTruthy();
  expect(screen.getByText('the role may only propose')).toBeTruthy();
  expect(screen.getByText('without a second person').className).toContain('override');
});

test('what narrows the list is shown by its names, and can be taken away', async () => {
  const { user, asked } = openPage(
    `/admin/changes?by=staff:x&status=applied&thing=product&id=${item.id}&from=2026-11-20&before=${change({}).id}`,
    {
      'GET /api/staff/changes': {
        results: [change({})],
        next: null,
        named: { by: 'dana@shop.example', thing: 'Крем' },
      },
    },
    me,
  );
  const chips = within(await screen.findByRole('list', { name: 'Narrowed to' }));
  expect(chips.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
    'Who: dana@shop.example ✕',
    'State: Applied ✕',
    'What: Product ✕',
    'Of: Крем ✕',
    expect.stringContaining('20 Nov 2026'),
  ]);
  const file = screen.getByRole('link', { name: 'Download CSV' }).getAttribute('href') ?? '';
  expect(file).toContain('by=staff%3Ax');
  expect(file).not.toContain('before');
  await user.click(chips.getByRole('button', { name: 'Remove the filter Who: dana@shop.example' }));
  await waitFor(() => expect(asked.at(-1)?.path).not.toContain('by='));
  expect(asked.at(-1)?.path).not.toContain('before');
});

test('the effect of a change is measured for whoever sees reports, beside what others were shown', async () => {
  const figures = {
    orders: 4,
    goods: 77_000,
    product_discounts: 0,
    discounts: 2000,
    bonuses: 0,
    delivery: 3800,
    revenue: 78_800,
    average: 19_700,
    below_minimum: 0,
    no_cash: 0,
    free_delivery: 2,
    in_tier: 1,
    costed: 36_000,
    cost: 16_000,
    margin: 20_000,
  };
  const effect = {
    ...{
      days: 90,
      from: '2026-08-24T05:00:00Z',
      until: '2026-11-22T05:00:00Z',
      position: 7,
      orders: 4,
      touched: 3,
    },
    was: figures,
    would: { ...figures, revenue: 73_500, margin: 12_800 },
    assumptions: ['same-baskets', 'costs'],
  };
  const answers = {
    [`GET ${call}`]: { ...change({ status: 'waiting' }), because: [], page: [item] },
    [`GET ${call}/effect`]: {
      results: [
        {
          by: 'staff:x',
          name: 'dana@shop.example',
          at: '2026-11-22T05:00:00Z',
          effect: { ...effect, days: 30 },
        },
      ],
    },
    [`POST ${call}/effect`]: effect,
  };
  const { user, asked, unmount } = openPage(path, answers, {
    ...me,
    permissions: [...me.permissions, 'reports.see'],
  });
  expect(await screen.findByText(/Orders of 30 days, as dana@shop.example saw it/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Measure the effect' }));
  const rows = await screen.findAllByRole('row', { name: /Revenue/ });
  expect(rows.at(-1)?.textContent).toContain('−5,300');
  expect(asked.map(({ body }) => JSON.stringify(body)).join(' ')).toContain('{"days":90}');
  expect(screen.queryByText('Margin')).toBeNull(); // it is for those who see costs
  unmount();
  openPage(path, answers, me);
  await screen.findByRole('heading', { name: 'Spring sale' });
  expect(screen.queryByRole('button', { name: 'Measure the effect' })).toBeNull();
});

test('a change that is to come leads to its pages as they would be', async () => {
  const { user } = openPage(
    path,
    {
      [`GET ${call}`]: { ...change({ status: 'planned' }), because: [], page: [item] },
      [`GET ${call}/pages`]: {
        results: [
          { kind: 'product', path: '/product/cream', name: 'Крем' },
          { kind: 'home', path: '/', name: '' },
        ],
        left: 2,
      },
    },
    me,
  );
  await user.click(await screen.findByRole('link', { name: 'Preview' }));
  const frame = await screen.findByTitle('Preview of the change «Spring sale»');
  expect(frame.getAttribute('src')).toBe(`${call}/preview/?path=%2Fproduct%2Fcream&language=ru`);
  expect(frame.getAttribute('sandbox')).toBe('allow-same-origin');
  expect(screen.getByRole('status').textContent).toContain('Shoppers do not see this.');
  expect(screen.getByText(/^2 items would not be/)).toBeTruthy();
  await user.selectOptions(screen.getByLabelText('Page'), 'Home');
  await user.selectOptions(screen.getByLabelText('Width'), 'Phone');
  await user.selectOptions(screen.getByLabelText('Language of the page'), 'Қазақша');
  const other = screen.getByTitle('Preview of the change «Spring sale»');
  expect(other.getAttribute('src')).toBe(`${call}/preview/?path=%2F&language=kk`);
  expect(other.closest('[data-device]')?.getAttribute('data-device')).toBe('phone');
});

test('a change that was applied has nothing to preview, and says so', async () => {
  openPage(
    `${path}/preview`,
    {
      [`GET ${call}`]: { ...change({}), because: [], page: [item] },
      [`GET ${call}/pages`]: { status: 409, body: { detail: 'Applied.', code: 'change/no-preview' } },
    },
    me,
  );
  expect(await screen.findByText(/nothing to preview/)).toBeTruthy();
  expect(document.querySelector('iframe')).toBe(null);
});

test('the page of an applied change offers no preview', async () => {
  openPage(path, { [`GET ${call}`]: { ...change({}), because: [], page: [item] } }, me);
  await screen.findByRole('heading', { name: 'Spring sale' });
  expect(screen.queryByRole('link', { name: 'Preview' })).toBe(null);
});

test('a draft is applied by whoever made it, and approved by others', async () => {
  const draft = { ...change({ status: 'waiting', needs: ['draft'] }), because: [], page: [item] };
  const mine = { ...draft, proposed_by: `staff:${me.id}` };
  const own = openPage(path, { [`GET ${call}`]: mine, [`POST ${call}/apply`]: { status: 204 } }, me);
  await screen.findByText('Draft');
  expect(screen.queryByRole('button', { name: 'Approve' })).toBe(null);
  await own.user.click(screen.getByRole('button', { name: 'Apply' }));
  await own.user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Apply' }));
  await waitFor(() =>
    expect(own.asked.some(({ method, path }) => method === 'POST' && path === `${call}/apply/`)).toBe(true),
  );
  own.unmount();
  openPage(path, { [`GET ${call}`]: draft }, me);
  await screen.findByText('Draft');
  expect(screen.queryByRole('button', { name: 'Apply' })).toBe(null);
  expect(screen.getByRole('button', { name: 'Approve' })).toBeTruthy();
});
