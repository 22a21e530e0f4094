import { screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Me } from './api/types';
import { openPage } from './testing/open';

const who = (permissions: Me['permissions']): Me => ({
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60',
  email: 'dana@shop.example',
  role: 'manager',
  permissions,
  csrf: 'token-of-the-session',
});
const routes = { 'GET /api/staff/today': { waits: [] } };
const names = () =>
  within(screen.getByRole('navigation', { name: 'Screens' }))
    .getAllByRole('link')
    .map(({ textContent }) => textContent);

afterEach(() => vi.unstubAllGlobals());

test('screens stand in groups, and what a role may not see is not there', async () => {
  openPage('/admin', routes, who(['orders.see', 'catalog.see', 'customers.see']));
  await screen.findByRole('heading', { name: 'Today' });
  expect(names()).toEqual(['Today', 'Orders', 'Customers', 'Goods', 'Notices']);
});

test('a group of one screen has the name of the screen', async () => {
  openPage('/admin', routes, who(['orders.deliver']));
  await screen.findByRole('heading', { name: 'Today' });
  expect(names()).toEqual(['Today', 'My stops', 'Notices']);
});

test('on a phone all groups are behind one button', async () => {
  const narrow = { matches: true, addEventListener() {}, removeEventListener() {} };
  vi.stubGlobal('matchMedia', () => narrow);
  openPage('/admin', routes, who(['orders.see', 'catalog.see']));
  await screen.findByRole('heading', { name: 'Today' });
  const menu = screen.getByText('Menu').closest('details');
  expect(menu?.open).toBe(false);
  expect(
    within(menu as HTMLElement).getByRole('region', { name: 'Goods', hidden: true }).textContent,
  ).toContain('Brands');
});
