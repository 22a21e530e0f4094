import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { forgetPosition } from '../api/position';
import { session } from '../api/session';
import { basket } from '../features/basket/basket-store';

// A wait ends when its condition holds; the limit only says when to give up, also on a busy machine.
configure({ asyncUtilTimeout: 15_000 });

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  basket.clear();
  session.end();
  forgetPosition();
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
