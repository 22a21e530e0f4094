import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, signedIn } from '../testing/open';

const me = signedIn('analyst', 'orders.see');
const routes = {
  'GET /api/staff/today': { waits: [] },
  'POST /api/staff/orders/search': { count: 0, more: false, results: [] },
};
/** Presses keys one after the other without a pause, which a busy machine would make longer than the office waits for the second. */
const press = (keys: string) => {
  for (const key of keys) fireEvent.keyDown(document.body, { key, code: `Key${key.toUpperCase()}` });
};
const address = () => screen.getByTestId('address').textContent;

test('keys lead through the office, under a Russian layout too, and not while one types', async () => {
  const { user } = openPage('/admin', routes, me);
  await screen.findByRole('heading', { name: 'Today' });
  press('go');
  await waitFor(() => expect(address()).toBe('/admin/orders'), { timeout: 30_000 });
  const search = await screen.findByRole('searchbox', {}, { timeout: 30_000 });
  await user.keyboard('/');
  expect(document.activeElement).toBe(search);
  await user.keyboard('gt?');
  expect(address()).toBe('/admin/orders');
  expect(screen.queryByRole('dialog')).toBeNull();
  await user.click(document.body);
  fireEvent.keyDown(document.body, { key: 'п', code: 'KeyG' });
  fireEvent.keyDown(document.body, { key: 'е', code: 'KeyT' });
  await waitFor(() => expect(address()).toBe('/admin'), { timeout: 30_000 });
});

test('? lists the keys that the role may use', async () => {
  const { user } = openPage('/admin', routes, me);
  await screen.findByRole('heading', { name: 'Today' });
  await user.keyboard('?');
  const list = await screen.findByRole('dialog', { name: 'Keys' });
  expect(list.textContent).toContain('Orders');
  expect(list.textContent).not.toContain('By phone');
  // A way that is not the role's leads nowhere.
  await user.click(screen.getByRole('button', { name: 'Close' }));
  press('gp');
  expect(address()).toBe('/admin');
});
