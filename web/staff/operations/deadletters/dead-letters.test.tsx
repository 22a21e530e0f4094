import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { to } from '../../../kit/testing/server';
import { analyst, event, letter, open, operator } from '../testing/open';

const api = '/api/ops/deadletters';
const routes = {
  [`GET ${api}`]: {
    letters: [letter(), letter({ position: 47_020, version: 4, type: 'order.completed', error: '' })],
  },
  [`GET ${api}/history`]: {
    actions: [
      {
        id: 1,
        at: '2026-11-21T08:00:00Z',
        actor: 'staff:dana',
        action: 'skip',
        projection: 'orders',
        position: 12,
        streams: [],
        reason: 'A test order.',
        events: 1,
        build: null,
      },
    ],
  },
};

test('what failed, what only waits, and who did what and why', async () => {
  open('/ops/dead-letters', routes);
  expect(await screen.findByText('column "carrier" violates not-null')).toBeDefined();
  expect(screen.getByText('waits behind an earlier event of its stream')).toBeDefined();
  expect(await screen.findByText('A test order.')).toBeDefined();
  expect(screen.getByText('Skipped event 12 in orders')).toBeDefined();
});

test('a dry-run says for each event what a retry would come to', async () => {
  const { user, asked } = open('/ops/dead-letters', {
    ...routes,
    [`POST ${api}/orders/dry-run`]: {
      more: false,
      results: [
        { position: 47_011, stream: 'order-1', type: 'order.shipped', ok: true, error: '' },
        { position: 47_020, stream: 'order-1', type: 'order.completed', ok: false, error: 'no carrier' },
      ],
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Dry-run' }));
  expect(await screen.findByText('A retry would fold 1 of 2 events.')).toBeDefined();
  expect(screen.getByText('Would pass')).toBeDefined();
  expect(screen.getByText('Would fail')).toBeDefined();
  expect(asked.some(to('POST', `${api}/orders/retry`))).toBe(false);
});

test('one stream or all are retried after a question', async () => {
  const { user, asked } = open('/ops/dead-letters', {
    ...routes,
    [`POST ${api}/orders/retry`]: { status: 202, body: { events: 2 } },
  });
  const retried = () => asked.filter(to('POST', `${api}/orders/retry`));
  await user.click(
    (await screen.findAllByRole('button', { name: 'Retry stream order-1' }))[0] as HTMLElement,
  );
  expect(retried()).toHaveLength(0);
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(retried().map(({ body }) => body)).toEqual([{ streams: ['order-1'] }]));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Retry all' }));
  await user.type(screen.getByLabelText('Why (optional)'), 'Fixed.');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(retried().at(1)?.body).toEqual({ reason: 'Fixed.' }));
  expect(retried().at(1)?.headers.get('X-CSRF-Token')).toBe(operator.csrf);
});

test('an event is skipped only with a reason', async () => {
  const { user, asked } = open('/ops/dead-letters/orders/47011', {
    ...routes,
    [`GET ${api}/orders/47011`]: { ...letter(), event: event() },
    [`POST ${api}/orders/47011/skip`]: {},
  });
  expect(await screen.findByText(/"number": 7/)).toBeDefined();
  expect(screen.getByText(/Personal data, hidden from your role/)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Skip…' }));
  const sure = screen.getByRole('button', { name: 'Skip the event' });
  expect(sure).toHaveProperty('disabled', true);
  await user.type(screen.getByLabelText('Reason'), 'Made by a test.');
  await user.click(sure);
  await waitFor(() =>
    expect(asked.find(to('POST', `${api}/orders/47011/skip`))?.body).toEqual({ reason: 'Made by a test.' }),
  );
});

test('no dead letters; and a role that may only look', async () => {
  const first = open('/ops/dead-letters', { ...routes, [`GET ${api}`]: { letters: [] } });
  expect(await screen.findByText('No dead letters')).toBeDefined();
  first.unmount();
  open('/ops/dead-letters', routes, analyst);
  expect(await screen.findByText(/need the permission projections.run/)).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Dry-run' })).toBeNull();
});
