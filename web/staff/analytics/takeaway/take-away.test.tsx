import { screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { startInLanguage } from '../../testing/open';
import { analyst, open } from '../testing/open';

const sets = [
  {
    name: 'orders',
    about: 'An order as it stands.',
    formats: ['parquet', 'csv'],
    columns: [{ name: 'number', type: 'integer', about: 'Its number' }],
  },
];
const routes = { 'GET /api/analytics/datasets/': sets };

/** The addresses of the files that were taken. */
function taken(): string[] {
  const files: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    files.push(this.getAttribute('href') ?? '');
  });
  return files;
}

test('a data set is taken in a format, of a month, from a position', async () => {
  const files = taken();
  const { user } = open('/analytics/take-away', routes);
  const form = within(await screen.findByRole('form', { name: 'Take orders away' }));
  await user.selectOptions(form.getByLabelText('Format'), 'csv');
  await user.type(form.getByLabelText('Month'), '2026-03');
  await user.type(form.getByLabelText('From position'), '120000');
  await user.click(form.getByRole('button', { name: 'Download' }));
  await waitFor(() =>
    expect(files).toEqual(['/api/analytics/datasets/orders/?format=csv&month=2026-03&from_position=120000']),
  );
  expect(form.getByRole('status').textContent).toMatch(/takes the file/);
  expect(form.queryByLabelText(/personal data/)).toBeNull();
});

test('what is no position is named, and nothing is taken', async () => {
  const files = taken();
  const { user } = open('/analytics/take-away', routes);
  const form = within(await screen.findByRole('form', { name: 'Take orders away' }));
  await user.type(form.getByLabelText('From position'), 'today');
  await user.click(form.getByRole('button', { name: 'Download' }));
  await waitFor(() =>
    expect(form.getByRole('alert').textContent).toBe('From position: must be a number from 1.'),
  );
  expect(files).toEqual([]);
});

test('personal data come only to whom may see them, when asked for, after the second factor', async () => {
  const files = taken();
  const manager = { ...analyst, permissions: [...analyst.permissions, 'personal.see' as const] };
  let proved = false;
  const stepUp = { status: 403, body: { detail: 'Enter a code.', code: 'step-up-required' } };
  const { user } = open(
    '/analytics/take-away',
    {
      ...routes,
      'GET /api/staff/me/step-up': () => (proved ? {} : stepUp),
      'POST /api/staff/me/step-up': () => {
        proved = true;
        return {};
      },
    },
    manager,
  );
  await user.click(await screen.findByLabelText('With personal data'));
  await user.click(screen.getByRole('button', { name: 'Download' }));
  await user.type(await screen.findByLabelText('Code or recovery code'), '123456');
  expect(files).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await waitFor(() => expect(files).toEqual(['/api/analytics/datasets/orders/?format=parquet&unmasked=1']));
});

test('a data set and its columns are told of in the language of the app', async () => {
  await startInLanguage('ru');
  open('/analytics/take-away', {
    'GET /api/analytics/datasets/': [
      {
        name: 'baskets',
        about: 'A pricing of a basket.',
        formats: ['csv'],
        columns: [
          { name: 'order_id', type: 'text', about: 'The order it became.' },
          { name: 'brand_new', type: 'integer', about: 'Not worded yet.' },
        ],
      },
    ],
  });
  expect(await screen.findByText(/^Расчёт корзины, отказ/)).toBeDefined();
  expect(screen.queryByText('A pricing of a basket.')).toBeNull();
  expect(screen.getByText('Заказ, которым стала корзина; null, кроме checked_out.')).toBeDefined();
  expect(screen.getByText('целое число')).toBeDefined();
  expect(screen.getByText('Not worded yet.')).toBeDefined();
});
