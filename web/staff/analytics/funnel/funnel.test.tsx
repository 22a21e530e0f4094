import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { kind, open, report } from '../testing/open';

const steps = [
  {
    step: 'priced',
    title: 'Priced',
    baskets: 200,
    money: 3_000_000,
    share: 1000,
    lost: {
      baskets: 60,
      money: 400_000,
      reasons: [
        { reason: 'below_minimum', title: 'Below the minimum sum', baskets: 45, money: 150_000 },
        { reason: 'out_of_stock', title: 'Out of stock', baskets: 15, money: 250_000 },
      ],
    },
  },
  {
    step: 'orderable',
    title: 'Could order',
    baskets: 140,
    money: 2_600_000,
    share: 700,
    lost: { baskets: 0, money: 0, reasons: [] },
  },
];
const routes = {
  'GET /api/analytics/reports/': [kind({ name: 'funnel', title: 'Funnel', filters: [] })],
  'GET /api/analytics/reports/funnel/': report({ report: 'funnel', title: 'Funnel', steps }),
};

test('each step tells how many baskets came so far, and why others did not', async () => {
  const { user } = open('/analytics/funnel', routes);
  const list = await screen.findByRole('list', { name: 'Steps of the funnel' });
  expect(within(list).getByText('100.0 %')).toBeDefined();
  expect(within(list).getByText('70.0 %')).toBeDefined();
  await user.click(within(list).getByText(/60 baskets went no further: 400,000/));
  expect(within(list).getByText('Below the minimum sum').parentElement?.textContent).toBe(
    'Below the minimum sum45150,000\u00a0₸',
  );
  expect(within(list).queryByText(/^0 baskets/)).toBeNull();
});

test('the overview shows it in short, beside sales and categories of the same days', async () => {
  const { asked } = open('/analytics?days=30', {
    'GET /api/analytics/reports/sales/': report({ by: 'day' }),
    'GET /api/analytics/reports/funnel/': routes['GET /api/analytics/reports/funnel/'],
  });
  expect(await screen.findByRole('list', { name: 'Steps of the funnel' })).toBeDefined();
  expect(await screen.findByText(/Categories did not load/)).toBeDefined();
  const days = asked.filter(({ path }) => path.startsWith('/api/analytics/reports/'));
  expect(new Set(days.map(({ query }) => query.get('from'))).size).toBe(1);
  expect(screen.getByRole('link', { name: 'Sales: the whole report' }).getAttribute('href')).toMatch(
    /^\/analytics\/reports\/sales\?from=\d{4}-\d\d-\d\d&by=day$/,
  );
});
