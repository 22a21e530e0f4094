import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { to } from '../../../kit/testing/server';
import { startInLanguage } from '../../testing/open';
import { kind, open, report } from '../testing/open';

const list = 'GET /api/analytics/reports/';
const sales = '/api/analytics/reports/sales/';
const address = () => screen.getByTestId('address').textContent;
const routes = { [list]: [kind()], [`GET ${sales}`]: report() };

test('a report is drawn by what it says of itself, with the position it was computed at', async () => {
  open('/analytics/reports/sales?from=2026-01-01&city=Алматы', routes);
  const table = await screen.findByRole('region', { name: 'Sales, rows' });
  const rows = within(table).getAllByRole('row');
  expect(rows.map((row) => [...row.children].map(({ textContent }) => textContent))).toEqual([
    ['Month', 'Orders', 'Revenue', 'Paid'],
    ['Jan 2026', '12', '250,000\u00a0₸', '91.5 %'],
    ['Feb 2026', '9', '180,000\u00a0₸', '—'],
    ['In all', '21', '430,000\u00a0₸', ''],
  ]);
  expect(screen.getByText(/^As of log position/).textContent).toMatch(/^As of log position 7,212/);
  expect(screen.getByText("shop reports sales --from 2026-01-01 --city 'Алматы' --at 7212")).toBeDefined();
  expect(screen.getByText(/Revenue: 250,000 ₸ \(Jan 2026\) to 180,000 ₸ \(Feb 2026\)/)).toBeDefined();
  expect(screen.getByText('Imported orders count by their old day.')).toBeDefined();
});

test('a column is sorted by pressing it, the greatest first, and the address keeps it', async () => {
  const { user, asked } = open('/analytics/reports/sales?city=x&offset=50', routes);
  await user.click(await screen.findByRole('button', { name: 'Revenue' }));
  expect(address()).toBe('/analytics/reports/sales?city=x&sort=-revenue');
  const head = () => screen.getByRole('columnheader', { name: /Revenue/ });
  await waitFor(() => expect(head().getAttribute('aria-sort')).toBe('descending'));
  await waitFor(() => expect(asked.some(({ query }) => query.get('sort') === '-revenue')).toBe(true));
  await user.click(screen.getByRole('button', { name: 'Revenue' }));
  await waitFor(() => expect(head().getAttribute('aria-sort')).toBe('ascending'));
});

test('what narrows the report goes into the address and the question; the file is of the same', async () => {
  const { user, asked } = open('/analytics/reports/sales', routes);
  await user.type(await screen.findByLabelText('City'), 'Астана');
  await user.selectOptions(screen.getByLabelText('Payment'), 'CASH');
  await user.selectOptions(screen.getByLabelText('By'), 'day');
  await user.click(screen.getByRole('button', { name: 'Show' }));
  await waitFor(() => {
    const last = asked.filter(to('GET', sales)).at(-1)?.query;
    expect([last?.get('city'), last?.get('payment'), last?.get('by'), last?.get('limit')]).toEqual([
      'Астана',
      'CASH',
      'day',
      '50',
    ]);
  });
  const file = new URL(
    (screen.getByRole('link', { name: 'Download CSV' }) as HTMLAnchorElement).getAttribute('href') ?? '',
    'http://shop.test',
  );
  expect(file.pathname).toBe(sales);
  expect(Object.fromEntries(file.searchParams)).toEqual({
    by: 'day',
    city: 'Астана',
    payment: 'CASH',
    format: 'csv',
  });
});

test('many rows come in pages, while the drawing shows the first ones in the report’s own order', async () => {
  const columns = [
    { key: 'product', title: 'Product', kind: 'text' as const, link: 'product' as const },
    { key: 'revenue', title: 'Revenue', kind: 'money' as const },
  ];
  const rows = Array.from({ length: 50 }, (_, at) => ({
    product: `Мыло ${at}`,
    product_id: `id-${at}`,
    revenue: 50 - at,
  }));
  const { user, asked } = open('/analytics/reports/products?sort=revenue', {
    [list]: [kind({ name: 'products', title: 'Products', by: [], filters: [] })],
    'GET /api/analytics/reports/products/': report({
      report: 'products',
      title: 'Products',
      by: null,
      columns,
      rows,
      total: null,
      count: 120,
      chart: { x: 'product', y: ['revenue'] },
    }),
  });
  expect(await screen.findByText('Rows 1 to 50 of 120')).toBeDefined();
  const bars = await screen.findByRole('list', { name: 'Revenue by product' });
  expect(within(bars).getAllByRole('listitem')).toHaveLength(12);
  expect(within(bars).getByRole('link', { name: 'Мыло 0' }).getAttribute('href')).toBe(
    '/analytics/products/id-0',
  );
  expect(asked.some(({ query }) => query.get('limit') === '12' && !query.has('sort'))).toBe(true);
  await user.click(screen.getByRole('button', { name: 'Rows after' }));
  expect(address()).toBe('/analytics/reports/products?sort=revenue&offset=50');
  await waitFor(() => expect(asked.some(({ query }) => query.get('offset') === '50')).toBe(true));
});

test('cohorts are laid out by month and months since; one without orders is none that has not come yet', async () => {
  const columns = [
    { key: 'cohort', title: 'First order', kind: 'month' as const },
    { key: 'since', title: 'Months since', kind: 'count' as const },
    { key: 'retention', title: 'Retention', kind: 'percent' as const },
  ];
  const rows = [
    { cohort: '2026-01', since: 0, retention: 1000 },
    { cohort: '2026-01', since: 1, retention: 0 },
    { cohort: '2026-01', since: 2, retention: 250 },
    { cohort: '2026-02', since: 0, retention: 1000 },
    { cohort: '2026-02', since: 1, retention: 0 },
  ];
  open('/analytics/reports/cohorts', {
    [list]: [kind({ name: 'cohorts', title: 'Cohorts', by: [], filters: [] })],
    'GET /api/analytics/reports/cohorts/': report({
      report: 'cohorts',
      title: 'Cohorts',
      by: null,
      columns,
      rows,
      total: null,
      count: 5,
      chart: { x: 'since', y: ['retention'] },
    }),
  });
  const table = await screen.findByRole('table', { name: 'Retention by first order and months since' });
  expect(
    within(table)
      .getAllByRole('row')
      .map((row) => [...row.children].map(({ textContent }) => textContent)),
  ).toEqual([
    ['First order', '0', '1', '2'],
    ['Jan 2026', '100.0 %', '0.0 %', '25.0 %'],
    ['Feb 2026', '100.0 %', '0.0 %', 'not yet'],
  ]);
});

test('a wrong parameter of the address is named, and everything is a press away', async () => {
  const { user } = open('/analytics/reports/sales?from=x', {
    [list]: [kind()],
    [`GET ${sales}`]: ({ query }: { query: URLSearchParams }) =>
      query.has('from')
        ? { status: 400, body: { from: ['Must be a day such as 2026-03-02.'] } }
        : report({ rows: [], count: 0, chart: null }),
  });
  expect(await screen.findByText(/from: Must be a day/)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Nothing in this time')).toBeDefined();
  expect(address()).toBe('/analytics/reports/sales');
});

test('the list leads to each report, the funnel to its own screen', async () => {
  open('/analytics/reports', { [list]: [kind({ lag: 3 }), kind({ name: 'funnel', title: 'Funnel' })] });
  expect((await screen.findByRole('link', { name: 'Sales' })).getAttribute('href')).toBe(
    '/analytics/reports/sales',
  );
  expect(screen.getByText('As of position 7,212, 3 events behind')).toBeDefined();
  const funnel = within(screen.getByRole('main')).getByRole('link', { name: 'Funnel' });
  expect(funnel.getAttribute('href')).toBe('/analytics/funnel');
});

test('a page behind the last row leads back to the first', async () => {
  const { user } = open('/analytics/reports/sales?city=x&offset=50', {
    [list]: [kind()],
    [`GET ${sales}`]: ({ query }: { query: URLSearchParams }) =>
      query.has('offset') ? report({ rows: [], count: 2 }) : report(),
  });
  expect(await screen.findByText('No more rows')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Begin with the first' }));
  expect(await screen.findByRole('rowheader', { name: 'Jan 2026' })).toBeDefined();
  expect(address()).toBe('/analytics/reports/sales?city=x');
});

test('a report says its title, columns, values and notes in the language of the app', async () => {
  await startInLanguage('ru');
  open('/analytics/reports/losses', {
    'GET /api/analytics/reports/': [kind({ name: 'losses', title: 'Lost baskets' })],
    'GET /api/analytics/reports/losses/': report({
      report: 'losses',
      title: 'Lost baskets',
      columns: [
        { key: 'step', title: 'Came as far as', kind: 'text' },
        { key: 'reason', title: 'Reason', kind: 'text' },
        { key: 'money', title: 'Money', kind: 'money' },
        { key: 'novel', title: 'Novel column', kind: 'count' },
      ],
      rows: [
        {
          step: 'Priced',
          step_id: 'priced',
          reason: 'Out of stock',
          reason_id: 'out_of_stock',
          money: 5,
          novel: 1,
        },
        { step: 'Beamed', step_id: 'beamed', reason: 'moon', reason_id: 'moon', money: 6, novel: 2 },
      ],
      chart: null,
      notes: [
        'Months reach to the last in which any customer ordered.',
        'A note that came with a newer server.',
      ],
    }),
  });
  expect(await screen.findByRole('heading', { name: 'Потерянные корзины' })).toBeDefined();
  const table = await screen.findByRole('table', { name: 'Потерянные корзины, строки' });
  for (const head of [/Дошли до/, /Причина/, /Деньги/, /Novel column/])
    expect(within(table).getByRole('columnheader', { name: head })).toBeDefined();
  expect(within(table).getByText('Рассчитаны')).toBeDefined();
  expect(within(table).getByText('Нет в наличии')).toBeDefined();
  // What this app has no words for yet is said as the server says it.
  expect(within(table).getByText('Beamed')).toBeDefined();
  expect(within(table).getByText('moon')).toBeDefined();
  expect(screen.getByText(/^Месяцы идут до последнего/)).toBeDefined();
  expect(screen.getByText('A note that came with a newer server.')).toBeDefined();
});
