import { expect, test, vi } from 'vitest';
import { layOutDeferred } from './deferred-layout';

test('what waits is laid out a piece at a time, then all that comes', () => {
  vi.useFakeTimers();
  document.body.innerHTML = `<main><section style="content-visibility: auto"></section><p></p>
    <ul><li style="content-visibility: hidden"></li></ul></main><footer></footer>`;
  const waiting = () => document.querySelectorAll('[style*=auto], [style*=hidden]').length;
  const { dataset } = document.documentElement;
  layOutDeferred();
  vi.advanceTimersByTime(9_000);
  expect(waiting()).toBe(2);
  dispatchEvent(new Event('scroll'));
  expect(waiting()).toBe(2);
  vi.advanceTimersToNextTimer();
  expect(waiting()).toBe(1);
  vi.advanceTimersToNextTimer();
  expect(waiting()).toBe(0);
  expect([dataset.revealed, dataset.laidOut]).toEqual([undefined, undefined]);
  vi.advanceTimersToNextTimer();
  expect([dataset.revealed, dataset.laidOut]).toEqual(['', '']);
});
