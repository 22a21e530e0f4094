import { afterEach, beforeEach, vi } from 'vitest';
import { speak } from '../language';
import { startInLanguage } from './open';

// A canvas draws nothing here; what it shows is told beside it.
vi.mock('../analytics/charts/plot', () => ({ Plot: () => null }));

// Tests of screens look for English words; which language a browser begins with has tests of its own.
beforeEach(() => startInLanguage('en'));
afterEach(() => speak('ru'));
