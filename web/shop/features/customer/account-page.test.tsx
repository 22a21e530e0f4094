import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../../kit/testing/server';
import { session } from '../../api/session';
import { recorded } from '../../testing/answers';
import { renderAt } from '../../testing/render';
import { AccountPage } from './account-page';

test('the panel shows the customer, leads to the pages of the account, and signs out to the home page', async () => {
  session.start({ userId: recorded.profile.id, token: 'secret' });
  serve({ 'GET /api/auth/profile/': recorded.profile, 'DELETE /api/token/': {} });
  const { user } = renderAt(
    '/account/info',
    '/account/info',
    <AccountPage title="Личные данные">…</AccountPage>,
  );
  const panel = within(await screen.findByRole('region', { name: 'Личный кабинет' }));
  const { first_name, last_name, info } = recorded.profile;
  expect(await panel.findByText(`${first_name} ${last_name}`)).toBeTruthy();
  expect(panel.getByText(info.phone)).toBeTruthy();
  expect(document.querySelector(`img[src="${info.profile_image}"]`)).toBeTruthy();
  const way = (name: string) => panel.getByRole('link', { name });
  expect(way('Личные данные').getAttribute('href')).toBe('/account/info');
  expect(way('Личные данные').getAttribute('aria-current')).toBe('page');
  expect(way('Мои заказы').getAttribute('href')).toBe('/account/orders');
  sessionStorage.setItem('dala.checkout', '{"customer_phone":"+77011234567"}');
  await user.click(panel.getByRole('button', { name: 'Выйти' }));
  expect(await screen.findByText('at /')).toBeTruthy();
  expect(sessionStorage.getItem('dala.checkout')).toBeNull();
});
