import { waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { serve } from '../../kit/testing/server';
import { chunk, chunkWithRetry } from './chunk';

const gone = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
const reload = vi.fn();

beforeEach(() => {
  reload.mockClear();
  vi.spyOn(location, 'reload').mockImplementation(reload);
});
afterEach(() => {
  sessionStorage.clear();
  vi.useRealTimers();
});

test('a chunk that a newer release has replaced opens the page anew, once', async () => {
  serve({ [`HEAD ${location.pathname}`]: {} });
  void chunk(gone);
  await waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
  await expect(chunk(gone)).rejects.toThrow('dynamically imported');
  expect(reload).toHaveBeenCalledTimes(1);
});

test('while the shop does not answer the page stays', async () => {
  serve({ [`HEAD ${location.pathname}`]: { status: 503 } });
  await expect(chunk(gone)).rejects.toThrow('dynamically imported');
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  await expect(chunk(gone)).rejects.toThrow();
  expect(reload).not.toHaveBeenCalled();
});

test('what a page can do without is asked for until it comes', async () => {
  vi.useFakeTimers();
  serve({ [`HEAD ${location.pathname}`]: { status: 503 } });
  let tries = 0;
  const menu = chunkWithRetry(() => (++tries < 3 ? gone() : Promise.resolve('menu')));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await menu).toBe('menu');
  expect(tries).toBe(3);
});
