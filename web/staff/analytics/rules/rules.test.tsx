import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { open, step } from '../testing/open';

const rules = (minimum_sum: number) => ({ minimum_sum, tiers: [{ from: 30_000, percent: 5 }] });
const api = {
  'GET /api/analytics/rules/': {
    stream: 'rules',
    steps: [
      step({ type: 'rules.changed', actor: 'system:start', state: { Version: 1, Rules: rules(5_000) } }),
      step({
        version: 2,
        position: 8,
        type: 'rules.changed',
        actor: 'staff:aru@shop.example',
        state: { Version: 2, Rules: rules(7_000) },
        changes: [{ field: 'Rules.minimum_sum', was: 5_000, now: 7_000 }],
      }),
    ],
  },
};

test('the newest rules stand first, with what they changed and by whom', async () => {
  open('/analytics/rules', api);
  const changes = await screen.findByRole('region', { name: 'Changes' });
  expect(within(changes).getByRole('row', { name: 'Rules.minimum_sum 5,000 7,000' })).toBeDefined();
  expect(screen.getByText('By').nextElementSibling?.textContent).toBe('staff:aru@shop.example');
  const tiers = within(screen.getByRole('region', { name: 'Tiers' }));
  expect(tiers.getByRole('row', { name: '30,000 5' })).toBeDefined();
  expect(screen.getByRole('link', { name: 'Try others' }).getAttribute('href')).toBe('/analytics/what-if');
});

test('an older version is shown by its link and with the slider', async () => {
  open('/analytics/rules?version=1', api);
  expect(await screen.findByText('It begins here: everything below is new.')).toBeDefined();
  expect(screen.getByText('Minimum sum').nextElementSibling?.textContent).toBe('5,000');
  fireEvent.change(screen.getByRole('slider'), { target: { value: '2' } });
  expect(screen.getByTestId('address').textContent).toBe('/analytics/rules?version=2');
  expect(screen.getByText('Minimum sum').nextElementSibling?.textContent).toBe('7,000');
});

test('rules that do not load say so', async () => {
  open('/analytics/rules', { 'GET /api/analytics/rules/': { status: 500, body: { detail: 'Busy.' } } });
  expect(await screen.findByText(/Busy\./)).toBeDefined();
});
