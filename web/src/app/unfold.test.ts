import { expect, test, vi } from 'vitest';
import { unfold } from './unfold';

test('what waits is laid out a piece at a time, then all that comes', () => {
  vi.useFakeTimers();
  document.body.innerHTML = `<main><section style="content-visibility: auto"></section><p></p>
    <ul><li style="content-visibility: auto"></li></ul></main><footer></footer>`;
  const waiting = () => document.querySelectorAll('[style*=auto]').length;
  unfold();
  vi.advanceTimersByTime(5000);
  expect(waiting()).toBe(2);
  window.dispatchEvent(new Event('scroll'));
  vi.advanceTimersToNextTimer();
  expect(waiting()).toBe(1);
  vi.advanceTimersToNextTimer();
  expect(waiting()).toBe(0);
  expect(document.documentElement.dataset.whole).toBeUndefined();
  vi.advanceTimersToNextTimer();
  expect(document.documentElement.dataset.whole).toBe('');
});
