import { expect, test, vi } from 'vitest';
import { layOutDeferred, withWholePage } from './deferred-layout';

test('what waits is laid out a piece at a time; out of sight it is then left to the style again', async () => {
  vi.useFakeTimers();
  document.body.innerHTML = `<main><section style="content-visibility: auto"></section><p></p>
    <ul><li style="content-visibility: hidden"></li><li class="beside" style="content-visibility: auto"></li></ul></main><footer style="content-visibility: auto"></footer>`;
  const places = { SECTION: -innerHeight - 400, LI: 1.5 * innerHeight, FOOTER: 2 * innerHeight };
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const left = this.className === 'beside' ? 2 * innerWidth : 0;
    return new DOMRect(left, places[this.tagName as keyof typeof places], 300, 400);
  });
  const waiting = () => document.querySelectorAll('[style*=auto], [style*=hidden]').length;
  const { dataset } = document.documentElement;
  layOutDeferred();
  vi.advanceTimersByTime(9_000);
  expect(waiting()).toBe(4);
  dispatchEvent(new Event('scroll'));
  expect(waiting()).toBe(4);
  vi.advanceTimersToNextTimer();
  expect(waiting()).toBe(3);
  vi.advanceTimersToNextTimer();
  expect(waiting()).toBe(2);
  vi.advanceTimersToNextTimer();
  expect(waiting()).toBe(1);
  vi.advanceTimersToNextTimer();
  expect(waiting()).toBe(0);
  expect([dataset.revealed, dataset.laidOut]).toEqual([undefined, undefined]);
  vi.advanceTimersToNextTimer();
  expect([dataset.revealed, dataset.laidOut]).toEqual(['', undefined]);
  expect(document.querySelectorAll('[style*=visible]')).toHaveLength(4);
  // Not before the frame that shows it: until then the browser has noted no heights.
  await vi.advanceTimersByTimeAsync(100);
  expect(dataset.laidOut).toBe('');
  const near = [...document.querySelectorAll('[style*=visible]')];
  expect(near.map(({ tagName, className }) => tagName + className)).toEqual(['LI']);
});

test('all of the page is laid out while places are looked for, and until the frame that shows them', async () => {
  vi.useFakeTimers();
  const { dataset } = document.documentElement;
  withWholePage(() => expect(dataset.whole).toBe(''));
  expect(dataset.whole).toBe('');
  await vi.advanceTimersByTimeAsync(100);
  expect(dataset.whole).toBeUndefined();
});
