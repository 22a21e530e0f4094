import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openPage, signedIn } from '../testing/open';

const manager = signedIn('manager', 'orders.see', 'orders.change');

/** The streams that the page opened. */
let streams: Stream[] = [];

class Stream extends EventTarget {
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  closed = false;
  constructor(readonly url: string) {
    super();
    streams.push(this);
  }
  close() {
    this.closed = true;
  }
  say(topics: string[], position: number) {
    act(() => {
      this.dispatchEvent(Object.assign(new Event('changed'), { data: JSON.stringify({ topics, position }) }));
    });
  }
}

let hidden = false;
beforeEach(() => {
  streams = [];
  hidden = false;
  vi.stubGlobal('EventSource', Stream);
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => hidden);
});
afterEach(() => vi.restoreAllMocks());

const look = (away: boolean) =>
  act(() => {
    hidden = away;
    document.dispatchEvent(new Event('visibilitychange'));
  });

test('Today asks again when something of it changed, and only while it is seen', async () => {
  const confirm = { code: 'to_confirm', count: 3 };
  const waits = { waits: [confirm] };
  const { asked } = openPage('/admin', { 'GET /api/staff/today': waits }, manager);
  await screen.findByRole('link', { name: '3 To confirm' });
  const times = () => asked.filter(({ path }) => path.startsWith('/api/staff/today')).length;
  expect(times()).toBe(1);
  const [first] = streams;
  expect(first?.url).toBe('/api/staff/live/');
  act(() => first?.onopen?.());

  confirm.count = 4;
  first?.say(['orders'], 41);
  await screen.findByRole('link', { name: '4 To confirm' });
  expect(times()).toBe(2);

  // Out of sight there is no stream; seen again, the page asks for what it missed.
  look(true);
  expect(first?.closed).toBe(true);
  confirm.count = 5;
  look(false);
  expect(streams).toHaveLength(2);
  act(() => streams[1]?.onopen?.());
  await screen.findByRole('link', { name: '5 To confirm' });
  await waitFor(() => expect(times()).toBe(3));
});

test('a broken stream is opened again', async () => {
  openPage('/admin', { 'GET /api/staff/today': { waits: [] } }, manager);
  await waitFor(() => expect(streams).toHaveLength(1));
  act(() => streams[0]?.onerror?.());
  await waitFor(() => expect(streams).toHaveLength(2), { timeout: 20_000 });
  expect(streams[0]?.closed).toBe(true);
});
