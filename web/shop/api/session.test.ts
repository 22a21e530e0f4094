import { act, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { answer } from '../../kit/api/answer';
import { serve } from '../../kit/testing/server';
import { recorded } from '../testing/answers';
import { api } from './client';
import { session, sessionKey, useSession } from './session';

const rules = () => answer(api.GET('/api/rules/'));

test('who is signed in is stored, and every call carries their token', async () => {
  const log = serve({ 'GET /api/rules/': recorded.rules });
  await rules();
  session.start({ userId: 'c1', token: 'secret' });
  await rules();
  session.end();
  await rules();
  expect(log.map(({ headers }) => headers.get('Authorization'))).toEqual([null, 'Bearer secret', null]);
  expect(localStorage.getItem(sessionKey)).toBeNull();
});

test('an expired token ends the session', async () => {
  serve({ 'GET /api/rules/': () => ({ status: 401, body: { detail: 'Войдите в аккаунт' } }) });
  session.start({ userId: 'c1', token: 'old' });
  await expect(rules()).rejects.toThrow('Войдите в аккаунт');
  expect(session.get()).toBeNull();
});

test('an answer to an old token leaves a session begun meanwhile', async () => {
  serve({
    'GET /api/rules/': () => {
      session.start({ userId: 'c1', token: 'new' });
      return { status: 401, body: {} };
    },
  });
  session.start({ userId: 'c1', token: 'old' });
  await expect(rules()).rejects.toThrow();
  expect(session.get()?.token).toBe('new');
});

test('a wrong password leaves the session there is', async () => {
  const log = serve({
    'POST /api/token/': () => ({ status: 401, body: { detail: 'Неверный e-mail или пароль' } }),
  });
  session.start({ userId: 'c1', token: 'secret' });
  const body = { username: 'b@example.kz', password: 'wrong' };
  await expect(answer(api.POST('/api/token/', { body }))).rejects.toThrow('Неверный e-mail или пароль');
  expect(session.get()?.token).toBe('secret');
  expect(log[0]?.headers.get('Authorization')).toBeNull();
});

function anotherTabStores(stored: string) {
  const { result } = renderHook(useSession);
  act(() => {
    localStorage.setItem(sessionKey, stored);
    dispatchEvent(new StorageEvent('storage', { key: sessionKey }));
  });
  return result.current;
}

test('another tab signs in', () => {
  expect(anotherTabStores('{"userId":"c2","token":"theirs"}')).toEqual({ userId: 'c2', token: 'theirs' });
});

test.each(['{', '[]', '{"userId":1,"token":"x"}', '{"userId":"c1","token":""}'])(
  'storage with %s is nobody',
  (stored) => {
    session.start({ userId: 'c1', token: 'secret' });
    expect(anotherTabStores(stored)).toBeNull();
  },
);
