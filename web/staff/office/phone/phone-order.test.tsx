import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, signedIn } from '../../testing/open';

const manager = signedIn('manager', 'personal.see', 'orders.see', 'orders.change');

test('the ways to pay are those that the provider has', async () => {
  openPage('/admin/orders/new', { 'GET /api/shop/': { payment_methods: ['CARD', 'CASH'] } }, manager);
  const way = await screen.findByLabelText('Payment');
  await expect
    .poll(() =>
      within(way)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    )
    .toEqual(['Cash on delivery', 'Card, by link']);
});
