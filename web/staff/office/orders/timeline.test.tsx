import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Me } from '../../api/types';
import { openPage, signedIn } from '../../testing/open';

const manager = signedIn('manager', 'personal.see', 'orders.see');
const stream = 'order-1';
const step = (version: number, type: string, state: object, letters: object[] = []) => ({
  position: version * 100,
  stream,
  version,
  type,
  recorded_at: `2026-11-2${version}T05:00:00Z`,
  actor: 'guest',
  data: {},
  state,
  letters,
});
const sheet = {
  order: { status: 'APPROVED', is_paid: false, lines: [], total_paid: 9000, tags: [], captured: 0 },
  stock: [],
  possible: [],
  others: 0,
  number: 100_001,
  id: '01a20160-593e-7398-aa87-bdc0b560fb24',
  stream,
  test_payment: false,
  price: null,
  steps: [
    step(1, 'order.placed', { status: 'RECEIVED' }, [{ kind: 'order-placed', state: 'sent', sent_at: null }]),
    step(2, 'order.approved', { status: 'APPROVED' }, [
      { kind: 'order-approved', state: 'waiting', sent_at: null },
    ]),
    step(3, 'order.noted', { status: 'APPROVED' }),
  ],
};
const api = 'GET /api/staff/orders/100001/';
const address = () => screen.getByTestId('address').textContent;

test.each([
  ['a time', '2026-11-21T06:00:00Z'],
  ['a position of the log', '100'],
])('an address with %s shows the order as it was', async (_, at) => {
  openPage(`/admin/orders/100001?at=${encodeURIComponent(at)}`, { [api]: sheet }, manager);
  const was = await screen.findByRole('region', { name: /The order as it was/ });
  expect(within(was).getByText('Received')).toBeDefined();
  // The slider writes the address, and its end is now.
  const slider = screen.getByRole('slider');
  fireEvent.change(slider, { target: { value: '1' } });
  await waitFor(() => expect(address()).toBe('/admin/orders/100001?at=200'));
  fireEvent.change(slider, { target: { value: '2' } });
  await waitFor(() => expect(address()).toBe('/admin/orders/100001'));
});

test('notes are read by whoever sees orders, and written by whoever may pack them', async () => {
  const { unmount } = openPage('/admin/orders/100001', { [api]: sheet }, manager);
  expect(await screen.findByText('•••')).toBeTruthy();
  expect(screen.queryByLabelText('New note')).toBeNull();
  unmount();
  const packer = { ...manager, permissions: [...manager.permissions, 'orders.pack' as const] };
  openPage('/admin/orders/100001', { [api]: sheet }, packer);
  expect(await screen.findByLabelText('New note')).toBeTruthy();
  expect(screen.queryByLabelText('Tag')).toBeNull();
});

test('what is no time shows the order as it is', async () => {
  openPage('/admin/orders/100001?at=yesterday', { [api]: sheet }, manager);
  await screen.findByRole('slider');
  expect(screen.queryByRole('region', { name: /The order as it was/ })).toBeNull();
});

test('a letter opens as it was sent; one that waits does not', async () => {
  const letter = {
    kind: 'order-placed',
    to: 'anna@example.kz',
    subject: 'Заказ № 100001 получен',
    text: 'Здравствуйте!\nhttps://shop.example/order/1#…',
    at: '2026-11-21T05:00:00Z',
  };
  const { user } = openPage(
    '/admin/orders/100001',
    { [api]: sheet, 'GET /api/staff/orders/100001/letters/1/': letter },
    manager,
  );
  await user.click(await screen.findByRole('button', { name: 'Order received (sent)' }));
  expect(await screen.findByText('Заказ № 100001 получен')).toBeDefined();
  expect(screen.getByRole('region', { name: 'Text of the letter' }).textContent).toContain('Здравствуйте!');
  expect(screen.queryByRole('button', { name: /Order confirmed/ })).toBeNull();
  expect(screen.getByText(/Order confirmed \(waits\)/)).toBeDefined();
});

test('a photo of the hand-over is shown to whoever may see persons, until it is removed', async () => {
  const photo = '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f61';
  const taken = { ...step(4, 'order.delivery-photographed', {}), data: { photo_id: photo } };
  const name = 'Photo of the hand-over of order 100001';
  const open = (steps: object[], me: Me = manager) =>
    openPage('/admin/orders/100001', { [api]: { ...sheet, steps } }, me);
  const page = open([...sheet.steps, taken]);
  expect((await screen.findByRole('img', { name })).getAttribute('src')).toBe(
    `/api/staff/orders/100001/photos/${photo}/?small=true`,
  );
  page.unmount();
  const masked = open([...sheet.steps, taken], { ...manager, permissions: ['orders.see'] });
  await screen.findByRole('slider');
  expect(screen.queryByRole('img', { name })).toBeNull();
  masked.unmount();
  open([...sheet.steps, taken, step(5, 'order.delivery-photos-removed', {})]);
  await screen.findByRole('slider');
  expect(screen.queryByRole('img', { name })).toBeNull();
});
