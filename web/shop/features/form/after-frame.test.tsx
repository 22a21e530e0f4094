import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { afterFrame } from './after-frame';

test('a form is sent once the press has been answered by a frame, and once for two presses', async () => {
  vi.useFakeTimers();
  const send = vi.fn(() => Promise.resolve());
  // A form is drawn again while it is being sent, with a listener of that drawing.
  const form = () => <form aria-label="form" onSubmit={afterFrame(send)} />;
  const { rerender } = render(form());
  const press = () => fireEvent.submit(screen.getByRole('form'));
  expect(press()).toBe(false);
  rerender(form());
  press();
  expect(send).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(100);
  expect(send).toHaveBeenCalledTimes(1);
  press();
  await vi.advanceTimersByTimeAsync(100);
  expect(send).toHaveBeenCalledTimes(2);
});

test('a form that is still being sent is not sent again', async () => {
  vi.useFakeTimers();
  const send = vi.fn(() => new Promise(() => {}));
  render(<form aria-label="form" onSubmit={afterFrame(send)} />);
  for (let press = 0; press < 2; press++) {
    fireEvent.submit(screen.getByRole('form'));
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(send).toHaveBeenCalledTimes(1);
});
