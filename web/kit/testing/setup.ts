import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeEach, vi } from 'vitest';

// A wait ends when its condition holds; the limit only says when to give up, also on a busy machine.
configure({ asyncUtilTimeout: 15_000 });

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  cleanup();
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

// A module that is still on its way when its file ends cannot be loaded by the files after it.
afterAll(() => vi.dynamicImportSettled());
