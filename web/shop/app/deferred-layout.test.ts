import { expect, test, vi } from 'vitest';
import { layOutDeferred, withWholePage } from './deferred-layout';

test('what waits is laid out a piece at a time; out of sight it is then left to the style again', async () => {
  vi.useFakeTimers();
  document.body.innerHTML = `<main><section style="content-visibility: auto"></section><p></p>
    <ul><li style="content-visibility: hidden"></li></ul></main><footer style="content-visibility: auto"></footer>`;
  const places = { SECTION: -innerHeight - 400, LI: 1.5 * innerHeight, FOOTER: 2 * innerHeight };
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    return new DOMRect(0, places[this.tagName as keyof typeof places], 300, 400);
  });
  const waiting = () => document.querySelectorAll('[style*=auto], [style*=hidden]').length;
  const { dataset } = document.documentElement;
  layOutDeferred();
  vi.advanceTimersByTime(9_000);
  expect(waiting()).toBe(3);
  dispatchEvent(new Event('scroll'));
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
  expect(document.querySelectorAll('[style*=visible]')).toHaveLength(3);
  // Not before the frame that shows it: until then the browser has noted no heights.
  await vi.advanceTimersByTimeAsync(100);
  expect(dataset.laidOut).toBe('');
  expect([...document.querySelectorAll('[style*=visible]')].map(({ tagName }) => tagName)).toEqual(['LI']);
});

test('all of the page is laid out while places are looked for, and until the frame that shows them', async () => {
  vi.useFakeTimers();
  const { dataset } = document.documentElement;
  withWholePage(() => expect(dataset.whole).toBe(''));
  expect(dataset.whole).toBe('');
  await vi.advanceTimersByTimeAsync(100);
  expect(dataset.whole).toBeUndefined();
});
