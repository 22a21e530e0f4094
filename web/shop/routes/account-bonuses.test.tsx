import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { type Asked, serve } from '../../kit/testing/server';
import { session } from '../api/session';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import AccountBonusesPage from './account-bonuses';

const { bonuses, profile, rules } = recorded;
const ledger = 'GET /api/auth/profile/bonuses/';
const routes = { 'GET /api/auth/profile/': profile, 'GET /api/rules/': rules };
const open = () => renderAt('/account/bonuses', '/account/bonuses', <AccountBonusesPage />);
const entries = () =>
  within(screen.getByRole('region', { name: 'История бонусов' }))
    .queryAllByRole('listitem')
    .map((entry) => entry.textContent);

beforeEach(() => session.start({ userId: profile.id, token: 'secret' }));

test('the balance and the purchases are in tenge, and each change names its order', async () => {
  serve({ ...routes, [ledger]: bonuses });
  open();
  const sum = async (name: string) => (await screen.findByText(name)).nextElementSibling?.textContent;
  expect(await sum('Бонусный баланс')).toBe('170\u00a0₸');
  expect(await sum('Мои покупки')).toBe('9\u00a0000\u00a0₸');
  expect(await screen.findByText(/начисляем 3 % стоимости товаров.*до 30 % товаров/)).toBeTruthy();
  expect(entries()).toEqual([
    'ПотраченыЗаказ № 10010109.03.2026−100\u00a0₸Баланс 170\u00a0₸',
    'НачисленыЗаказ № 10010108.03.2026+270\u00a0₸Баланс 270\u00a0₸',
  ]);
  expect(screen.queryByText(/уже были потрачены/)).toBeNull();
});

test('who has none yet reads how to get some', async () => {
  serve({
    ...routes,
    [ledger]: {
      ...bonuses,
      bonus_amount: 0,
      owed: 0,
      history: { ...bonuses.history, count: 0, results: [] },
    },
  });
  open();
  expect(await screen.findByText('Бонусы появятся после первого завершённого заказа.')).toBeTruthy();
});

test('bonuses that are owed are said', async () => {
  serve({ ...routes, [ledger]: { ...bonuses, bonus_amount: 0, owed: 40 } });
  open();
  expect((await screen.findByText(/уже были потрачены/)).textContent).toContain('40\u00a0₸');
});

test('older changes come on request', async () => {
  const [newest, oldest] = bonuses.history.results;
  const page = ({ query }: Asked) => ({
    ...bonuses,
    history: {
      ...bonuses.history,
      next: query.get('offset') === '0' ? '/api/auth/profile/bonuses/?offset=24' : null,
      results: [query.get('offset') === '0' ? newest : oldest],
    },
  });
  serve({ ...routes, [ledger]: page });
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Показать ещё' }));
  expect(await screen.findByText('Начислены')).toBeTruthy();
  expect(entries()).toHaveLength(2);
  expect(screen.queryByRole('button', { name: 'Показать ещё' })).toBeNull();
});
