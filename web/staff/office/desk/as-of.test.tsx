import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, type Routes, signedIn } from '../../testing/open';

const me = signedIn(
  'admin',
  ...([
    'personal.see',
    'orders.see',
    'orders.change',
    'orders.pack',
    'orders.deliver',
    'orders.refund',
    'payments.see',
    'payments.mark',
    'customers.see',
    'reviews.moderate',
    'catalog.see',
    'catalog.change',
    'rules.change',
    'content.change',
    'changes.see',
    'changes.propose',
    'changes.approve',
    'reports.see',
    'audit.see',
    'staff.manage',
  ] as const),
);
const id = '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f61';
const at = '2026-01-05T06:00:00Z';

const parcel = {
  id,
  number: 100_001,
  status: 'APPROVED',
  name: 'Анна Ким',
  phone: '+77011112233',
  city: 'Алматы',
  address: 'Абая, 1',
  comment: '',
  delivery_type: 'DELIVERY',
  payment_method: 'CASH',
  total_paid: 9000,
  goods: 9000,
  delivery_price: 0,
  to_collect: 9000,
  day: '2026-01-05',
  created_at: at,
  packed_at: null,
  handed_over_at: null,
  delivered_at: null,
  not_delivered: '',
  carrier: '',
  tracking: '',
  courier: id,
  courier_day: '2026-01-05',
  photos: 0,
  lines: [{ product_id: id, article: 'MK-1', name: 'Крем', amount: 1, price: 9000, total: 9000, shelf: '' }],
};
const change = {
  id,
  title: 'Весна',
  reason: '',
  proposed_by: 'staff:other',
  proposed_name: 'keeper@shop.example',
  proposed_at: at,
  items: 1,
  status: 'waiting',
  needs: ['role'],
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
  done: 0,
  conflicts: 0,
  refused: 0,
  put_back: 0,
  kept: 0,
  applied_at: null,
  ended_at: null,
  first: null,
};
const letter = {
  kind: 'welcome',
  changed: true,
  texts: [
    {
      name: 'opening',
      placeholders: [],
      must: [],
      ru: { block: 'letter-welcome.opening', own: 'Привет', text: 'Раньше' },
      kk: { block: 'letter-welcome.opening-kk', own: 'Сәлем', text: '' },
    },
  ],
};

/** A kind of page: its address, the call that it makes, what is shown of the answer, and whether the present can be changed there. */
type Kind = { page: string; call: string; answer: object; shows: RegExp; changes?: false; more?: Routes };

const kinds: Kind[] = [
  {
    page: '/admin',
    call: '/api/staff/today/',
    answer: { waits: [{ code: 'to_pack', count: 7 }] },
    shows: /7/,
    changes: false,
  },
  {
    page: '/admin/reviews',
    call: '/api/staff/reviews/',
    answer: {
      count: 1,
      results: [
        {
          id,
          product_id: id,
          article: 'MK-1',
          product: 'Крем',
          author: 'Анна',
          rating: 2,
          content: 'Сухо',
          photos: 0,
          reply: '',
          state: 'pending',
          reason: '',
          created_at: at,
          link: '',
          pictures: [],
          customer_id: null,
          number: 0,
        },
      ],
    },
    shows: /Сухо/,
  },
  {
    page: '/admin/reviews/templates',
    call: '/api/staff/reviews/templates/',
    answer: { templates: [{ name: 'Ответ', text: 'Раньше' }] },
    shows: /Раньше/,
  },
  {
    page: '/admin/waiting',
    call: '/api/staff/waiting/',
    answer: {
      results: [
        {
          product_id: id,
          article: 'MK-1',
          product: 'Крем',
          link: 'mk-1',
          archived: false,
          waiting: 2,
          since: at,
          last: at,
          on_hand: 0,
          reserved: 0,
          available: 0,
        },
      ],
    },
    shows: /Крем/,
    changes: false,
  },
  {
    page: '/admin/payments',
    call: '/api/staff/payments/',
    answer: {
      counts: { open: 1, late: 0, mismatched: 0, twice: 0, marked: 0 },
      results: [
        {
          payment_id: `${id}-1`,
          order_id: id,
          number: 100_001,
          order_status: 'RECEIVED',
          provider: 'sandbox',
          asked: 9000,
          captured: 0,
          refunded: 0,
          owed: 0,
          requested_at: at,
          pay_before: null,
          paid_at: null,
          marked_at: null,
          tries: 0,
          next_try: null,
        },
      ],
    },
    shows: /100001/,
  },
  {
    page: '/admin/payments?state=refunds',
    call: '/api/staff/payments/refunds/',
    answer: {
      results: [
        {
          id: `${id}/one`,
          order_id: id,
          number: 100_001,
          payment_id: `${id}-1`,
          provider: 'sandbox',
          amount: 100,
          actor: 'cli',
          tries: 0,
          created_at: at,
          next_try: null,
        },
      ],
    },
    shows: /100001/,
  },
  {
    page: '/admin/packing',
    call: '/api/staff/packing/',
    answer: { day: '2026-01-05', orders: [parcel] },
    shows: /100001/,
  },
  {
    page: '/admin/deliveries',
    call: '/api/staff/deliveries/',
    answer: {
      day: '2026-01-05',
      orders: [parcel],
      rounds: [
        {
          courier: id,
          day: '2026-01-05',
          stops: [],
          cash: 0,
          settled_at: null,
          expected: 0,
          handed_in: 0,
          note: '',
        },
      ],
      couriers: [{ id, email: 'courier@shop.example' }],
    },
    shows: /100001/,
  },
  {
    page: '/admin/deliveries/cash',
    call: '/api/staff/rounds/',
    answer: {
      from: '2026-01-01',
      to: '2026-01-05',
      results: [
        {
          courier: id,
          courier_name: 'courier@shop.example',
          day: '2026-01-04',
          cash: 9000,
          handed_in: 1,
          short: 8999,
          state: 'short',
          note: 'размен',
          settled_at: at,
          settled_by: 'boss@shop.example',
          closed_at: null,
          closed_by: '',
          close_reason: '',
        },
      ],
    },
    shows: /размен/,
  },
  {
    page: '/admin/changes',
    call: '/api/staff/changes/',
    answer: { results: [change], next: null, named: { by: '', thing: '' } },
    shows: /Весна/,
    changes: false,
  },
  {
    page: `/admin/changes/${id}`,
    call: `/api/staff/changes/${id}/`,
    answer: { ...change, because: [], page: [] },
    shows: /Весна/,
  },
  {
    page: '/admin/content/letters/welcome',
    call: '/api/staff/letters/texts/',
    answer: { results: [letter] },
    shows: /Раньше/,
    more: {
      'POST /api/staff/letters/texts/sample': { subject: 'Привет', html: '', text: 'Раньше' },
      'POST /api/staff/presence': { results: [] },
    },
  },
];

const past = 'This is the past, which cannot be changed.';
const harmless = /^(Back to the present|Reset|Print|Who waits|keeper@|Try again|←|→)/;

/** What could be pressed or written in the screen, beside what only looks. */
const acts = () => {
  const main = within(screen.getByRole('main'));
  const live = (one: HTMLElement) => !one.matches(':disabled') && !one.closest('fieldset[disabled]');
  return [
    ...main
      .queryAllByRole('button')
      .filter((one) => !harmless.test(one.getAttribute('aria-label') ?? one.textContent ?? '')),
    ...main.queryAllByRole('textbox'),
  ]
    .filter(live)
    .map((one) => one.getAttribute('aria-label') ?? one.textContent ?? one.tagName);
};

/** What compares moments, or shows those to come. */
const ofAnyMoment = ['/admin/changes/difference', '/admin/changes?show=calendar'];

test.each(kinds)(
  '$page of the past asks for its moment, and changes nothing',
  async ({ page, call, answer, shows, more }) => {
    const { asked } = openPage(
      `${page}${page.includes('?') ? '&' : '?'}at=42`,
      { [`GET ${call}`]: answer, ...more },
      me,
    );
    await screen.findByText(past);
    await waitFor(() =>
      expect(within(screen.getByRole('main')).getAllByText(shows).length).toBeGreaterThan(0),
    );
    expect(acts()).toEqual([]);
    const of = asked.filter(({ path }) => path === call);
    expect(of.map(({ query }) => query.get('at'))).toEqual(of.map(() => '42'));
    const ways = within(screen.getByRole('main'))
      .queryAllByRole('link')
      .map((link) => link.getAttribute('href') ?? '')
      .filter((to) => to.startsWith('/admin/') && !ofAnyMoment.some((page) => to.startsWith(page)));
    expect(ways.filter((to) => !to.includes('at=42'))).toEqual([]);
  },
);

test.each(kinds.filter(({ changes }) => changes !== false))(
  '$page of now can be changed',
  async ({ page, call, answer, shows, more }) => {
    openPage(page, { [`GET ${call}`]: answer, ...more }, me);
    await waitFor(() =>
      expect(within(screen.getByRole('main')).getAllByText(shows).length).toBeGreaterThan(0),
    );
    expect(screen.queryByText(past)).toBeNull();
    expect(acts()).not.toEqual([]);
  },
);

test('whoever has to wait for others is told so, and sees no empty list', async () => {
  openPage(
    '/admin/reviews?at=42',
    { 'GET /api/staff/reviews': { status: 503, body: { detail: 'Сейчас смотрят другие моменты прошлого' } } },
    me,
  );
  await screen.findByText(/Сейчас смотрят другие моменты прошлого/);
  expect(screen.queryByText('No reviews')).toBeNull();
  expect(screen.getByRole('button', { name: 'Back to the present' })).toBeTruthy();
});

const onlyNow = 'This screen shows the present alone: the moment in the address has no effect.';

test.each([
  '/admin/orders/new',
  '/admin/stops',
  '/admin/payments/reconciliation',
  '/admin/products/new',
  '/admin/imports',
  '/admin/promocodes/new',
  '/admin/letters',
  '/admin/changes/difference',
  `/admin/changes/${id}/preview`,
  '/admin/notices',
  '/admin/staff',
])('%s has no past and says so', async (page) => {
  const { user } = openPage(`${page}?at=42`, {}, me);
  await screen.findByText(onlyNow);
  expect(screen.queryByText(past)).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Back to the present' }));
  expect(screen.queryByText(onlyNow)).toBeNull();
  expect(screen.getByTestId('address').textContent).toBe(page);
});
