import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, signedIn } from '../../testing/open';

const me = signedIn('manager', 'rules.change');
const row = {
  thing: 'promocode',
  id: 'SPRING',
  field: 'terms',
  was: null,
  now: null,
  outcome: 'refused',
  found: null,
  code: 'promocode/bad-terms',
  detail: 'min_sum: A least sum must be between 0 and 1000000000 tenge.',
};
const wrong = 'Up to 1 000 000 000 ₸';

test('a code and a percent that cannot be say so beside their fields, before anything is asked', async () => {
  const { user } = openPage(
    '/admin/promocodes/new',
    {
      'GET /api/staff/groups': { categories: [], brands: [], marks: [] },
      'GET /api/staff/customers/groups': { results: [] },
    },
    me,
  );
  await user.type(await screen.findByLabelText('Promo code'), 'bad code');
  expect(screen.getByLabelText(/^Promo code/).closest('label')?.textContent).toContain('without spaces');
  const percent = screen.getByLabelText(/^Percent, 1 to 100/);
  await user.clear(percent);
  await user.type(percent, '150');
  expect(percent.getAttribute('aria-invalid')).toBe('true');
  expect(percent.closest('label')?.querySelector('[role=alert]')).toBeTruthy();
});

test.each([
  ['Dry run', { status: 200, body: { id: null, status: 'planned', needs: [], results: [row] } }],
  ['Issue', { status: 409, body: { detail: 'One item is refused.', code: 'change/items', results: [row] } }],
])('terms that are refused say so beside their field: %s', async (button, refusal) => {
  const { user } = openPage(
    '/admin/promocodes/new',
    {
      'GET /api/staff/groups': { categories: [], brands: [], marks: [] },
      'GET /api/staff/customers/groups': { results: [] },
      'POST /api/staff/changes': refusal as never,
      'POST /api/staff/changes/dry-run': refusal as never,
    },
    me,
  );
  await user.type(await screen.findByLabelText('Promo code'), 'spring');
  await user.type(screen.getByLabelText(/^Why/), 'весна');
  await user.type(screen.getByLabelText(/^Order from/), '9999999999');
  await user.click(screen.getByRole('button', { name: button }));
  const field = screen.getByLabelText(/^Order from/);
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
  expect(field.closest('label')?.textContent).toContain(wrong);
  expect(screen.getByLabelText(/^Percent/).getAttribute('aria-invalid')).toBe('false');
});
