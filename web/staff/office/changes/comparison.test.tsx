import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, signedIn } from '../../testing/open';

const me = signedIn('manager', 'changes.see', 'audit.see');
const change = '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f62';
const difference = {
  from: 10,
  to: 20,
  more: true,
  products: [
    {
      id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f61',
      article: 'MK-1',
      name: 'Cream',
      fields: [
        {
          field: 'shelf',
          was: '',
          now: 'A-01',
          by: [
            {
              position: 15,
              at: '2026-11-23T05:00:00Z',
              type: 'product.shelved',
              actor: 'azat@shop.example',
              change,
            },
          ],
        },
      ],
    },
  ],
};

test('two moments of the address are compared: what differs, who did it and by which change', async () => {
  const { asked, user } = openPage(
    '/admin/changes/difference?part=catalog&from=10&to=20',
    { 'GET /api/staff/history': difference },
    me,
  );
  expect((await screen.findByRole('link', { name: 'Cream' })).getAttribute('href')).toBe(
    '/admin/products/MK-1',
  );
  expect(screen.getByText('A-01')).toBeTruthy();
  expect(screen.getByText(/azat@shop.example/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Change' }).getAttribute('href')).toBe(`/admin/changes/${change}`);
  expect(screen.getByText(/Too much happened/)).toBeTruthy();
  const compared = () =>
    asked.filter(({ path }) => path === '/api/staff/history/').map(({ query }) => query.toString());
  expect(compared().at(-1)).toBe('part=catalog&from=10&to=20');
  await user.selectOptions(screen.getByLabelText('What to compare'), 'stock');
  await waitFor(() => expect(compared().at(-1)).toContain('part=stock'));
});
