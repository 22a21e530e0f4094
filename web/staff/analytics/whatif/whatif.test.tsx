import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { to } from '../../../kit/testing/server';
import { startInLanguage } from '../../testing/open';
import { keepSaved } from '../../testing/saved';
import type { Figures, Outcome, Replay, Rules } from '../api/types';
import { analyst, open } from '../testing/open';

const today: Rules = {
  tiers: [
    { from: 30_000, percent: 5 },
    { from: 50_000, percent: 10 },
  ],
  minimum_sum: 7_000,
  delivery: [{ city: 'Алматы', aliases: ['Almaty'], price: 1_900, free_from: 15_000 }],
  bonus_spend_percent: 30,
  bonus_earn_percent: 3,
  max_per_order: 99,
  card_minutes: 30,
  kaspi_minutes: 1_440,
  new_days: 30,
  same_day_until: 12,
  reviews_moderated: false,
  promocode_proof: false,
  guest_open_orders: 5,
  guest_open_pieces: 60,
  customer_open_orders: 20,
  customer_open_pieces: 300,
  network_open_orders: 20,
  network_open_pieces: 300,
  cash_hours: 24,
  guest_months: 24,
  hand_confirm_above: 100_000,
  return_days: 14,
  low_stock: 5,
  approval_price_cut: 0,
  approval_products: 0,
  approval_below_cost: false,
  approval_rules: false,
  opens_at: 10,
  closes_at: 19,
};
const api = '/api/analytics/replays/';
const rules = { 'GET /api/analytics/rules/': { stream: 'rules', steps: [{ state: { Rules: today } }] } };
const replay = (facts: Partial<Replay> = {}): Replay => ({
  id: 'r1',
  state: 'running',
  position: 7_212,
  rules: { minimum_sum: 9_000 },
  created_at: '2026-11-21T10:00:00Z',
  created_by: 'aru@shop.example',
  progress: { stage: 'price', done: 100, of: 400 },
  ...facts,
});
const figures = (revenue: number, orders: number): Figures => ({
  orders,
  goods: revenue,
  discounts: 0,
  bonuses: 0,
  delivery: 0,
  revenue,
  average: 0,
});
const row = (name: string) => ({
  name,
  was: figures(7_500_000, 400),
  would: figures(7_400_000, 380),
  change: figures(-100_000, -20),
  below_minimum: 20,
  no_cash: 0,
  lost: 100_000,
  tier_up: 0,
  tier_down: 0,
});
const outcome: Outcome = {
  id: '7212-ab',
  position: 7_212,
  rules: {},
  rules_version: 1,
  changes: [
    { field: 'minimum_sum', was: 7_000, now: 9_000 },
    { field: 'tiers[0].percent', was: 5, now: 8 },
  ],
  elsewhere: 0,
  total: row(''),
  by_month: [row('2026-01'), row('2026-02')],
  by_category: [row('Кремы')],
  by_city: [row('Алматы')],
  by_customer: [row('guest')],
  baskets: { baskets: 9, unavailable: 1, could: 5, could_sum: 50_000, would: 4, would_sum: 45_000 },
  assumptions: ['Every order placed counts.'],
};

test('only what differs from today’s rules is tried, and its permalink opens', async () => {
  const { user, asked } = open('/analytics/what-if', {
    ...rules,
    [`GET ${api}`]: [],
    [`POST ${api}`]: { status: 202, body: replay({ state: 'queued' }) },
    [`GET ${api}r1/`]: replay(),
  });
  await user.click(await screen.findByRole('button', { name: 'Try these rules' }));
  expect(await screen.findByText('Nothing differs from today’s rules yet.')).toBeDefined();

  const minimum = screen.getByLabelText('Minimum order sum, ₸');
  await user.clear(minimum);
  await user.type(minimum, 'much');
  await user.click(screen.getByRole('button', { name: 'Try these rules' }));
  expect(await screen.findByText('Must be a whole number.')).toBeDefined();
  expect(minimum.getAttribute('aria-invalid')).toBe('true');
  expect(document.activeElement).toBe(minimum);
  expect(asked.some(to('POST', api))).toBe(false);

  await user.clear(minimum);
  await user.type(minimum, '9 000');
  await user.click(screen.getByRole('button', { name: 'Remove tier 2' }));
  await user.click(screen.getByRole('button', { name: 'Try these rules' }));
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/analytics/what-if/r1'));
  const sent = asked.find(to('POST', api));
  expect(sent?.body).toEqual({ rules: { minimum_sum: 9_000, tiers: [{ from: 30_000, percent: 5 }] } });
  expect(sent?.headers.get('X-CSRF-Token')).toBe('token-of-the-session');
});

test('what a trial takes for granted is said in the language of the app', async () => {
  await startInLanguage('kk');
  open('/analytics/what-if/r1', {
    [`GET ${api}r1/`]: replay({
      report: { ...outcome, assumptions: ['A guest is neither new nor returning.', 'Not worded yet.'] },
    }),
  });
  expect(await screen.findByText('Қонақ жаңа да, қайтып келген де болып саналмайды.')).toBeDefined();
  expect(screen.getByText('Not worded yet.')).toBeDefined();
});

test('what the shop refuses is said beside its field', async () => {
  const { user } = open('/analytics/what-if', {
    ...rules,
    [`GET ${api}`]: [],
    [`POST ${api}`]: { status: 400, body: { rules: ['tiers[1].percent: A percent must be less.'] } },
  });
  await user.type(await screen.findByLabelText('Tier 2, percent, %'), '0');
  await user.click(screen.getByRole('button', { name: 'Try these rules' }));
  const field = await screen.findByRole('textbox', { description: 'A percent must be less.' });
  expect(field).toBe(screen.getByLabelText('Tier 2, percent, %'));
  await waitFor(() => expect(document.activeElement).toBe(field));
});

test('every rule of a file can be edited; tiers are sent in order', async () => {
  const { user, asked } = open('/analytics/what-if', {
    ...rules,
    [`GET ${api}`]: [],
    [`POST ${api}`]: { status: 202, body: replay({ state: 'queued' }) },
    [`GET ${api}r1/`]: replay(),
  });
  await screen.findByLabelText('Tier 1, from, ₸');
  const type = (label: string, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  type('Tier 1, from, ₸', '60000');
  type('Tier 1, percent, %', '12');
  type('City 1, also written', 'Almaty,  Alma-Ata ,');
  type('Bonuses earned, %', '4');
  type('Most pieces of a product', '12');
  type('Card payments wait, minutes', '45');
  type('Kaspi bills wait, minutes', '60');
  type('Products are new for, days', '14');
  type('Same day before, o’clock', '10');
  type('Open orders of a guest', '4');
  type('Pieces in them', '40');
  type('Open orders of a customer', '10');
  type('Pieces in a customer’s', '100');
  type('Open orders of a network', '30');
  type('Pieces in a network’s', '0');
  type('Guests’ cash orders wait, working hours', '12');
  type('Guests’ data is kept after the order (0: for ever), months', '36');
  type('Work begins, o’clock', '9');
  type('Work ends, o’clock', '20');
  await user.click(screen.getByLabelText('Reviews wait for staff'));
  await user.click(screen.getByLabelText('Promo codes limited per customer need a proved e-mail'));
  await user.click(screen.getByRole('button', { name: 'Try these rules' }));
  await waitFor(() => expect(asked.some(to('POST', api))).toBe(true));
  expect(asked.find(to('POST', api))?.body).toEqual({
    rules: {
      tiers: [
        { from: 50_000, percent: 10 },
        { from: 60_000, percent: 12 },
      ],
      delivery: [{ city: 'Алматы', aliases: ['Almaty', 'Alma-Ata'], price: 1_900, free_from: 15_000 }],
      bonus_earn_percent: 4,
      max_per_order: 12,
      card_minutes: 45,
      kaspi_minutes: 60,
      new_days: 14,
      same_day_until: 10,
      reviews_moderated: true,
      promocode_proof: true,
      guest_open_orders: 4,
      guest_open_pieces: 40,
      customer_open_orders: 10,
      customer_open_pieces: 100,
      network_open_orders: 30,
      network_open_pieces: 0,
      cash_hours: 12,
      guest_months: 36,
      opens_at: 9,
      closes_at: 20,
    },
  });
});

test('rules are opened from a file, which need not say all, and saved as one', async () => {
  const { user } = open('/analytics/what-if', { ...rules, [`GET ${api}`]: [] });
  const chooser = await screen.findByLabelText('File of rules');
  const choose = (text: string) =>
    user.upload(chooser, new File([text], 'rules.json', { type: 'application/json' }));
  for (const [text, wrong] of [
    ['minimum_sum: 9000', /^The file must be JSON/],
    ['[]', 'The file must have fields of the rules.'],
    ['{"minimum": 9000}', 'minimum: there is no such rule.'],
    ['{"minimum_sum": "9000"}', 'minimum_sum: is not what a rule says there.'],
    ['{"tiers": [{"from": 1, "percent": 2, "off": 3}]}', 'tiers: is not what a rule says there.'],
  ] as const) {
    await choose(text);
    expect(await screen.findByText(wrong)).toBeDefined();
  }
  await choose('{"version": 4, "minimum_sum": 9000, "tiers": [{"from": 40000, "percent": 8}]}');
  await waitFor(() =>
    expect(screen.getByLabelText<HTMLInputElement>('Minimum order sum, ₸').value).toBe('9000'),
  );
  expect(screen.getByLabelText<HTMLInputElement>('Tier 1, from, ₸').value).toBe('40000');
  expect(screen.queryByLabelText('Tier 2, from, ₸')).toBeNull();
  expect(screen.getByLabelText<HTMLInputElement>('City 1').value).toBe('Алматы');
  const form = screen.getByRole('form', { name: 'Rules to try' });
  expect(within(form).getByRole('alert').textContent).toBe('');

  const saved = keepSaved();
  await user.click(screen.getByRole('button', { name: 'Save as a file' }));
  expect(JSON.parse((await saved[0]?.text()) ?? '')).toEqual({
    ...today,
    minimum_sum: 9_000,
    tiers: [{ from: 40_000, percent: 8 }],
  });
});

test('a trial shows its progress and is cancelled', async () => {
  let state: Replay['state'] = 'running';
  const { user, asked } = open('/analytics/what-if/r1', {
    [`GET ${api}r1/`]: () => replay({ state }),
    [`DELETE ${api}r1/`]: () => {
      state = 'cancelled';
      return { status: 204 };
    },
  });
  const bar = await screen.findByRole('progressbar', { name: 'Progress' });
  expect(bar.getAttribute('aria-valuetext')).toBe('Pricing: 100 of 400 orders and baskets');
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(await screen.findByText('Cancelled')).toBeDefined();
  expect(asked.some(to('DELETE', `${api}r1/`))).toBe(true);
  expect(screen.queryByRole('progressbar')).toBeNull();
});

test('the progress of a trial never goes back, and is whole only at its end', async () => {
  const reaches = [
    { stage: 'read', done: 0, of: 0 },
    { stage: 'read', done: 800, of: 1_000 },
    { stage: 'read', done: 1_000, of: 1_000 },
    { stage: 'price', done: 0, of: 400 },
    { stage: 'price', done: 300, of: 400 },
    { stage: 'price', done: 400, of: 400 },
  ] as const;
  const shown: number[] = [];
  for (const progress of reaches) {
    const { unmount } = open('/analytics/what-if/r1', { [`GET ${api}r1/`]: replay({ progress }) });
    const bar = await screen.findByRole('progressbar', { name: 'Progress' });
    shown.push(Number(bar.getAttribute('aria-valuenow')));
    unmount();
  }
  expect(shown).toEqual([0, 78, 98, 98, 99, 100]);
});

test('a trial that ends while one looks shows what would have been', async () => {
  let asked = 0;
  open('/analytics/what-if/r1', {
    [`GET ${api}r1/`]: () => (asked++ === 0 ? replay() : replay({ state: 'done', report: outcome })),
  });
  expect(await screen.findByText('−100,000\u00a0₸', { normalizer: (text) => text })).toBeDefined();
  const months = screen.getByRole('region', { name: 'By month, rows' });
  expect(within(months).getByRole('row', { name: /^Jan 2026 7,500,000/ })).toBeDefined();
  expect(screen.getByText(/20 orders would fall below the minimum sum/)).toBeDefined();
  expect(screen.getByRole('row', { name: 'Minimum order sum 7,000 9,000' })).toBeDefined();
  expect(screen.getByRole('row', { name: 'Tier 1, percent, % 5 8' })).toBeDefined();
  expect(screen.getByRole('row', { name: /^guests / })).toBeDefined();
  expect(screen.getByText('Every order placed counts.')).toBeDefined();
  expect(screen.getByText('shop replay pricing --rules rules.yml --until 7212')).toBeDefined();
});

test('rows of a trial are sorted by pressing a head, which the address keeps, and taken away as they stand', async () => {
  const of = (name: string, lost: number) => ({ ...row(name), lost });
  const by_city = [of('Алматы', 1_000), of('Астана, "левый" берег', 30_000), of('=Тараз', 2_000)];
  const { user } = open('/analytics/what-if/r1', {
    [`GET ${api}r1/`]: replay({ state: 'done', report: { ...outcome, by_city } }),
  });
  const table = await screen.findByRole('region', { name: 'By city, rows' });
  const names = () =>
    within(table)
      .getAllByRole('rowheader')
      .map(({ textContent }) => textContent);
  expect(names()).toEqual(['Алматы', 'Астана, "левый" берег', '=Тараз', 'In all']);

  await user.click(within(table).getByRole('button', { name: 'Lost' }));
  expect(names()).toEqual(['Астана, "левый" берег', '=Тараз', 'Алматы', 'In all']);
  expect(screen.getByTestId('address').textContent).toBe('/analytics/what-if/r1?city=-lost');
  expect(within(table).getByRole('columnheader', { name: /^Lost/ }).getAttribute('aria-sort')).toBe(
    'descending',
  );

  const saved = keepSaved();
  await user.click(screen.getByRole('button', { name: 'Download CSV, by city' }));
  const lines = (await saved[0]?.text())?.split('\r\n') ?? [];
  expect(lines[0]).toMatch(/^\ufeffCity,"Revenue, was","Revenue, would be","Revenue, change","Orders, was",/);
  expect(lines[0]).toMatch(/,Lost,Below minimum,No cash,Tier up,Tier down$/);
  expect(lines[1]).toMatch(
    /^"Астана, ""левый"" берег",7500000,7400000,-100000,400,380,-20,.*,30000,20,0,0,0$/,
  );
  expect(lines[2]).toMatch(/^'=Тараз,/);
  expect(lines[4]).toBe('');
});

test('others are tried beginning with those of a link', async () => {
  open('/analytics/what-if?from=r1', {
    ...rules,
    [`GET ${api}`]: [replay({ state: 'failed' })],
    [`GET ${api}r1/`]: replay({ state: 'done' }),
  });
  const minimum = (await screen.findByLabelText('Minimum order sum, ₸')) as HTMLInputElement;
  expect(minimum.value).toBe('9000');
  expect(screen.getByRole('link', { name: /^Minimum 9,000/ }).getAttribute('href')).toBe(
    '/analytics/what-if/r1',
  );
  expect(screen.getByText('Failed')).toBeDefined();
});

test('a link to begin with a trial that is not there begins with today’s rules, and says so', async () => {
  open('/analytics/what-if?from=gone', { ...rules, [`GET ${api}`]: [] });
  expect(await screen.findByText('The trial to begin with is not there')).toBeDefined();
  expect((screen.getByLabelText('Minimum order sum, ₸') as HTMLInputElement).value).toBe('7000');
});

test('whoever may change rules publishes those of a run by a change that keeps its effect', async () => {
  const may = { ...analyst, permissions: [...analyst.permissions, 'rules.change' as const] };
  const done = { [`GET ${api}r1/`]: replay({ state: 'done', report: outcome }) };
  const { user, asked } = open(
    '/analytics/what-if/r1',
    {
      ...done,
      'POST /api/staff/changes/': {
        status: 201,
        body: { id: 'c1', status: 'waiting', needs: ['rules'], results: [] },
      },
    } as never,
    may,
  );
  await user.click(await screen.findByRole('button', { name: 'Publish these rules' }));
  expect(await screen.findByText('Waits for a second person.')).toBeDefined();
  expect(screen.getByRole('link', { name: 'Open the change' }).getAttribute('href')).toBe(
    '/admin/changes/c1',
  );
  expect(asked.find(to('POST', '/api/staff/changes/'))?.body).toMatchObject({
    title: 'Rules of the run r1',
    items: [{ thing: 'rules', id: 'rules', field: 'minimum_sum', now: 9_000 }],
    effect_days: 90,
  });
});

test('the rules of a run are looked at first as a draft, which leads to its preview', async () => {
  const may = { ...analyst, permissions: [...analyst.permissions, 'rules.change' as const] };
  const { user, asked } = open(
    '/analytics/what-if/r1',
    {
      [`GET ${api}r1/`]: replay({ state: 'done', report: outcome }),
      'POST /api/staff/changes/': {
        status: 201,
        body: { id: 'c1', status: 'waiting', needs: ['draft'], results: [] },
      },
    } as never,
    may,
  );
  await user.click(await screen.findByRole('button', { name: 'Look first' }));
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/admin/changes/c1/preview'));
  expect(asked.find(to('POST', '/api/staff/changes/'))?.body).toMatchObject({ draft: true });
});

test('an analyst who may not change rules sees no way to publish them', async () => {
  open('/analytics/what-if/r1', { [`GET ${api}r1/`]: replay({ state: 'done', report: outcome }) });
  await screen.findByText('Every order placed counts.');
  expect(screen.queryByRole('button', { name: 'Publish these rules' })).toBeNull();
});
