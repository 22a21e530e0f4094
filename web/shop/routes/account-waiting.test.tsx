import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { serve, to } from '../../kit/testing/server';
import { session } from '../api/session';
import { cardWith, recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import AccountWaitingPage from './account-waiting';

const { profile } = recorded;
const waits = '/api/subscriptions/products/';
const product = (id: string, name: string) => ({ ...recorded.product, ...cardWith({ id, link: id, name }) });
const routes = {
  'GET /api/auth/profile/': profile,
  'GET /api/products/soap/': product('soap', 'Мыло'),
  'GET /api/products/toner/': product('toner', 'Тоник'),
};
const open = () => renderAt('/account/waiting', '/account/waiting', <AccountWaitingPage />);

beforeEach(() => session.start({ userId: profile.id, token: 'secret' }));

test('who waits for a product sees it, and can stop waiting', async () => {
  let waiting = ['toner', 'soap'];
  const log = serve({
    ...routes,
    [`GET ${waits}`]: () => waiting,
    [`DELETE ${waits}toner/`]: () => {
      waiting = ['soap'];
      return {};
    },
  });
  const { user } = open();
  expect((await screen.findByRole('link', { name: 'Тоник' })).getAttribute('href')).toBe('/product/toner');
  await user.click(screen.getByRole('button', { name: 'Больше не жду: Тоник' }));
  expect(await screen.findByRole('link', { name: 'Мыло' })).toBeTruthy();
  await expect.poll(() => screen.queryByText('Тоник')).toBeNull();
  expect(log.filter(to('DELETE', `${waits}toner/`))).toHaveLength(1);
});

test('who waits for nothing is led to the catalog', async () => {
  serve({ ...routes, [`GET ${waits}`]: [] });
  open();
  expect(await screen.findByText('Вы пока не ждёте ни одного товара')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Перейти в каталог' }).getAttribute('href')).toBe('/categories');
});

test('a refusal is said, and the product stays', async () => {
  serve({
    ...routes,
    [`GET ${waits}`]: ['soap'],
    [`DELETE ${waits}soap/`]: () => ({ status: 503, body: { detail: 'Попробуйте позже' } }),
  });
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Больше не жду: Мыло' }));
  expect(await screen.findByText('Попробуйте позже')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Мыло' })).toBeTruthy();
});
