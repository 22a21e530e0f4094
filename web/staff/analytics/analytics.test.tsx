import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { analyst, open } from './testing/open';

test('who may not see reports is told so, and is shown no way in', async () => {
  const { asked } = open('/analytics/rules', {}, { ...analyst, role: 'operator', permissions: ['log.see'] });
  expect(await screen.findByText('Your role does not show this')).toBeDefined();
  expect(screen.getByText(/The role Operator lacks the permission reports.see/)).toBeDefined();
  expect(within(screen.getByRole('navigation', { name: 'Screens' })).queryAllByRole('link')).toEqual([]);
  expect(asked.map(({ path }) => path)).toEqual(['/api/staff/me/']);
});

test('the way to the operators’ page stands only where the role leads', async () => {
  const first = open('/analytics/orders', {});
  expect((await screen.findByRole('link', { name: 'Operations' })).getAttribute('href')).toBe('/ops');
  first.unmount();
  open('/analytics/orders', {}, { ...analyst, permissions: ['reports.see'] });
  await screen.findByRole('heading', { name: 'Orders' });
  expect(screen.queryByRole('link', { name: 'Operations' })).toBeNull();
});

test('nobody is shown anything before the sign-in', async () => {
  open('/analytics/orders/100044', {}, null);
  expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeDefined();
  expect(document.title).toBe('Sign in — Analytics');
});
