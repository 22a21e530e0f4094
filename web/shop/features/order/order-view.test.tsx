import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../../kit/testing/server';
import type { OrderDetail } from '../../api/types';
import { recorded } from '../../testing/answers';
import { renderAt } from '../../testing/render';
import { OrderView } from './order-view';

const sample: OrderDetail = {
  ...recorded.order,
  status: 'PROCESSING',
  payment_method: 'CARD',
  is_paid: true,
  lacks: 0,
  edits: [],
};

function view(change: Partial<OrderDetail>) {
  serve({});
  renderAt('/account/order', '/account/order', <OrderView order={{ ...sample, ...change }} />);
}

test('a parcel leads to the page of its carrier', () => {
  view({ parcel: { carrier: 'Казпочта', tracking: 'KZ-1234', url: 'https://post.kz/KZ-1234' } });
  expect(screen.getByText(/Казпочта, № KZ-1234/)).toBeDefined();
  expect(screen.getByRole('link', { name: 'Где посылка' }).getAttribute('href')).toBe(
    'https://post.kz/KZ-1234',
  );
});

test('a carrier without a page has no link', () => {
  view({ parcel: { carrier: 'Курьер Сервис', tracking: '12345', url: '' } });
  expect(screen.getByText(/Курьер Сервис, № 12345/)).toBeDefined();
  expect(screen.queryByRole('link', { name: 'Где посылка' })).toBeNull();
});

test('the difference after a change of lines can be paid', () => {
  view({ is_paid: false, lacks: 900, edits: [{ reason: 'по телефону', at: '2026-03-02T07:00:00Z' }] });
  expect(screen.getByRole('button', { name: /^Доплатить 900/ })).toBeDefined();
});

test('an order that is paid asks for nothing', () => {
  view({ edits: [{ reason: 'по телефону', at: '2026-03-02T07:00:00Z' }] });
  expect(screen.queryByRole('button', { name: /платить/ })).toBeNull();
});
