import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Me } from '../../api/types';
import { openPage } from '../../testing/open';

const manager: Me = {
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60',
  email: 'dana@shop.example',
  role: 'manager',
  permissions: ['personal.see', 'orders.see', 'orders.change'],
  csrf: 'token-of-the-session',
};

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
