import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { to } from '../kit/testing/server';
import { analyst, kind, open as openAnalytics, report } from './analytics/testing/open';
import { open as openOperations, operator } from './operations/testing/open';

const address = () => screen.getByTestId('address').textContent;
const reports = {
  'GET /api/analytics/reports': [kind()],
  'GET /api/analytics/reports/sales': report(),
};

test('a role that one section opens comes to it from the beginning of the other, and sees no way back', async () => {
  openOperations('/ops', reports, { ...analyst, permissions: ['reports.see'] });
  expect(await screen.findByRole('heading', { name: 'Overview' })).toBeDefined();
  expect(address()).toBe('/analytics');
  expect(screen.queryByRole('link', { name: 'Operations' })).toBeNull();
});

test('the beginning of a section is the first screen that the role may see', async () => {
  openOperations('/ops', {}, { ...operator, permissions: ['health.see'] });
  await waitFor(() => expect(address()).toBe('/ops/health'));
  const ways = within(await screen.findByRole('navigation', { name: 'Screens' }));
  expect(ways.getAllByRole('link').map(({ textContent }) => textContent)).toEqual(['Health']);
});

test('one goes from section to section without a new page, and who is signed in is asked once', async () => {
  const { user, asked } = openOperations('/ops/projections', reports, {
    ...operator,
    permissions: [...operator.permissions, 'reports.see'],
  });
  await user.click(await screen.findByRole('link', { name: 'Analytics' }));
  expect(await screen.findByRole('heading', { name: 'Overview' })).toBeDefined();
  expect(document.activeElement).toBe(screen.getByRole('main'));
  await user.click(screen.getByRole('link', { name: 'Operations' }));
  expect(await screen.findByRole('heading', { name: 'Projections' })).toBeDefined();
  expect(asked.filter(to('GET', '/api/staff/me'))).toHaveLength(1);
});

test('the sign-in of a section leads to what one wanted to see', async () => {
  openAnalytics('/analytics/orders', {}, null);
  expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeDefined();
  expect(address()).toBe('/analytics/orders');
});
