import { act, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve, to } from '../../../kit/testing/server';
import { session } from '../../api/session';
import { recorded } from '../../testing/answers';
import { renderPart } from '../../testing/render';
import { customerQueries, useProfile } from './customer-queries';
import SessionKeeper from './session-keeper';

const isProfile = to('GET', '/api/auth/profile/');
const anna = { userId: 'c1', token: 'secret' };

function Name() {
  return <p>{useProfile().data?.first_name ?? 'никто'}</p>;
}

function open() {
  session.start(anna);
  return renderPart(
    <>
      <SessionKeeper />
      <Name />
    </>,
  );
}

test('the profile of who is signed in is loaded once, and nothing is asked for a guest', async () => {
  const log = serve({ 'GET /api/auth/profile/': recorded.profile });
  open();
  expect(await screen.findByText('Анна')).toBeTruthy();
  expect(log.filter(isProfile).map(({ headers }) => headers.get('Authorization'))).toEqual(['Bearer secret']);
  act(() => session.end());
  expect(screen.getByText('никто')).toBeTruthy();
  expect(log.filter(isProfile)).toHaveLength(1);
});

test('what was known of a person goes with their session', async () => {
  serve({ 'GET /api/auth/profile/': recorded.profile });
  const { client } = open();
  await screen.findByText('Анна');
  client.setQueryData(['product', 'detail', 'soap'], { is_subscribed: true });
  act(() => session.start({ userId: 'c2', token: 'another' }));
  expect(client.getQueryData(customerQueries.profile(anna).queryKey)).toBeUndefined();
  expect(client.getQueryState(['product', 'detail', 'soap'])?.isInvalidated).toBe(true);
});

test.each([401, 404])('a profile that answers %d ends the session', async (status) => {
  serve({ 'GET /api/auth/profile/': () => ({ status, body: { detail: 'нет' } }) });
  open();
  await waitFor(() => expect(session.get()).toBeNull());
});

test('a server that fails leaves the session', async () => {
  const log = serve({ 'GET /api/auth/profile/': () => ({ status: 503 }) });
  open();
  await waitFor(() => expect(log.filter(isProfile)).toHaveLength(1));
  expect(session.get()).toEqual(anna);
});
