import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, signedIn } from '../../testing/open';

const me = signedIn('support', 'orders.change', 'personal.see');

const letter = {
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f61',
  kind: 'order-placed',
  number: 100001,
  name: 'Анна Ким',
  email: 'anna.kim@example.kz',
  since: '2026-11-23T05:00:00Z',
  attempts: 8,
  error: '550 no such mailbox',
};

test('a letter that could not be sent says to whom and why, and goes again', async () => {
  const { user, asked } = openPage(
    '/admin/letters',
    {
      'GET /api/staff/letters/dead': { results: [letter], count: 1 },
      [`POST /api/staff/letters/${letter.id}/retry`]: {},
    },
    me,
  );
  expect((await screen.findByRole('link', { name: 'order 100001' })).getAttribute('href')).toBe(
    '/admin/orders/100001',
  );
  expect(screen.getByText('550 no such mailbox')).toBeTruthy();
  expect(screen.getByText('anna.kim@example.kz')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: /^Send again: / }));
  expect(await screen.findByText(/is being sent again/)).toBeTruthy();
  expect(asked.some(({ method }) => method === 'POST')).toBe(true);
});
