import { afterEach, expect, test, vi } from 'vitest';
import { serve } from '../../kit/testing/server';
import { api } from './client';
import { connection } from './connection';

afterEach(() => connection.notice(true));

test('a call that reaches nobody, or only what was kept, says that the connection is lost', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  await expect(api.GET('/api/rules/')).rejects.toThrow('Failed to fetch');
  expect(connection.isLost()).toBe(true);

  serve({ 'GET /api/rules/': {} });
  await api.GET('/api/rules/');
  expect(connection.isLost()).toBe(false);

  serve({ 'GET /api/rules/': { body: {}, headers: { 'X-From-Cache': '1' } } });
  await api.GET('/api/rules/');
  expect(connection.isLost()).toBe(true);
});

test('a call that is given up says nothing of the connection', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new DOMException('given up', 'AbortError')));
  await expect(api.GET('/api/rules/')).rejects.toThrow('given up');
  expect(connection.isLost()).toBe(false);
});
