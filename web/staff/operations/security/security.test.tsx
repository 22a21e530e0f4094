import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { type Asked, to } from '../../../kit/testing/server';
import type { SecurityRecord } from '../api/types';
import { event, open, operator } from '../testing/open';

const api = '/api/ops/security';
const sees = { ...operator, permissions: [...operator.permissions, 'security.see' as const] };

const record = (facts: Partial<SecurityRecord> = {}): SecurityRecord => ({
  id: 12,
  at: '2026-11-21T10:00:00Z',
  kind: 'sign-in',
  outcome: 'wrong',
  how: 'password',
  party: 'staff',
  who: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60',
  name: 'dana@shop.example',
  role: 'admin',
  about: null,
  route: 'POST /api/staff/session',
  network: 'f9d2963a',
  email: '61f7d512',
  request: null,
  times: 4,
  ...facts,
});

const pages = ({ query }: Asked) =>
  query.get('before')
    ? { records: [record({ id: 3, kind: 'csrf', outcome: 'refused', how: '' })], next: null }
    : {
        records: [record(), record({ id: 11, kind: 'look', outcome: 'ok', how: 'log', network: '' })],
        next: 11,
      };

const rows = async () =>
  within(await screen.findByRole('table', { name: 'Security' }))
    .getAllByRole('row')
    .slice(1);

test('records in words, page by page', async () => {
  const { user } = open('/ops/security', { [`GET ${api}`]: pages }, sees);
  const [first] = await rows();
  expect(first?.textContent).toContain('Sign-in');
  expect(first?.textContent).toContain('wrong');
  expect(first?.textContent).toContain('dana@shop.example');
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  await waitFor(async () => expect(await rows()).toHaveLength(3));
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
});

test('what the records are narrowed to stands in the address, in the question and in the file', async () => {
  const { user, asked } = open('/ops/security?kind=sign-in', { [`GET ${api}`]: pages }, sees);
  await rows();
  await user.selectOptions(screen.getByLabelText('How it ended'), 'wrong');
  await user.click(screen.getByRole('button', { name: 'Filter' }));
  await waitFor(() =>
    expect(screen.getByTestId('address').textContent).toBe('/ops/security?kind=sign-in&outcome=wrong'),
  );
  await user.click(await screen.findByRole('button', { name: 'Only from the same network: f9d2963a' }));
  await screen.findByText(/From the same network as record 12/);
  const last = () => asked.filter(to('GET', api)).at(-1)?.query;
  await waitFor(() =>
    expect([last()?.get('kind'), last()?.get('outcome'), last()?.get('network')]).toEqual([
      'sign-in',
      'wrong',
      '12',
    ]),
  );
  expect(screen.getByRole('link', { name: 'Download CSV' }).getAttribute('href')).toBe(
    '/api/ops/security/file/?kind=sign-in&outcome=wrong&network=12',
  );
  await user.click(screen.getByRole('button', { name: 'Remove the filter' }));
  await waitFor(() => expect(screen.queryByText(/as record 12/)).toBeNull());
});

test('nothing found, and a role that may not see it', async () => {
  open('/ops/security?kind=csrf', { [`GET ${api}`]: { records: [], next: null } }, sees);
  expect(await screen.findByText('No such records')).toBeDefined();
});

test('a role without the permission is told so', async () => {
  open('/ops/security', {}, operator);
  await waitFor(() => expect(screen.queryByRole('table')).toBeNull());
  expect(screen.queryByRole('link', { name: 'Security' })).toBeNull();
});

test('the log offers the second factor where persons are masked', async () => {
  let proved = false;
  const { user } = open('/ops/log', {
    'GET /api/ops/events': () => ({ head: 10, events: [event()], next: null, step_up: !proved }),
    'POST /api/staff/me/step-up': () => {
      proved = true;
      return { status: 204 };
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Show the data' }));
  await user.type(await screen.findByLabelText(/code/i), '123456');
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.queryByText(/hidden until you show/)).toBeNull());
});
