import { afterEach, beforeEach } from 'vitest';
import { speak } from '../language';
import { startInLanguage } from './open';

// Tests of screens look for English words; which language a browser begins with has tests of its own.
beforeEach(() => startInLanguage('en'));
afterEach(() => speak('ru'));
