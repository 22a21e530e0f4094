import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { session } from '../../api/session';
import { renderAt } from '../../testing/render';
import { CustomersOnly } from './customers-only';

const open = () =>
  renderAt(
    '/account/orders?active=1',
    '/account/orders',
    <CustomersOnly waiting="ждём">заказы</CustomersOnly>,
  );

test('a guest signs in and comes back', async () => {
  open();
  expect(await screen.findByText('at /login?next=%2Faccount%2Forders%3Factive%3D1')).toBeTruthy();
});

test('who is signed in stays, until the session expires', async () => {
  session.start({ userId: 'c1', token: 'secret' });
  open();
  expect(screen.getByText('заказы')).toBeTruthy();
  act(() => session.end());
  expect(await screen.findByText(/^at \/login\?next=/)).toBeTruthy();
});

test('who signs out goes home', async () => {
  session.start({ userId: 'c1', token: 'secret' });
  open();
  act(() => session.leave());
  expect(await screen.findByText('at /')).toBeTruthy();
});

test('who comes as a guest after having signed out is led to the sign-in', async () => {
  session.start({ userId: 'c1', token: 'secret' });
  session.leave();
  open();
  expect(await screen.findByText(/^at \/login\?next=/)).toBeTruthy();
});
