import type { Tone } from '../../staff/parts/mark';
import type { Build, BuildKind, BuildState, Differences } from '../api/types';

export const kinds: Record<BuildKind, string> = {
  rebuild: 'Rebuild',
  verify: 'Verify',
  'as-of': 'Past model',
};

export const buildStates: Record<BuildState, { tone: Tone; word: string }> = {
  waiting: { tone: 'rest', word: 'Waiting' },
  running: { tone: 'busy', word: 'Running' },
  paused: { tone: 'rest', word: 'Paused' },
  ready: { tone: 'busy', word: 'Ready to swap' },
  swapping: { tone: 'busy', word: 'Swapping' },
  done: { tone: 'good', word: 'Done' },
  failed: { tone: 'bad', word: 'Failed' },
  cancelled: { tone: 'rest', word: 'Cancelled' },
};

export type Phase = Build['phase'];

export const phases: Record<Phase, { name: string; does: string }> = {
  fold: { name: 'Fold', does: 'The log is folded in memory and copied into fresh tables.' },
  index: { name: 'Index', does: 'Indexes are made and statistics taken.' },
  'catch-up': { name: 'Catch up', does: 'Events that were appended meanwhile are folded.' },
  verify: { name: 'Verify', does: 'The fresh model is compared with the live one, row by row.' },
  swap: { name: 'Swap', does: 'The fresh model takes the live one’s place in one transaction.' },
};

/** The phases that such a build goes through, in order. */
export const phasesOf: Record<BuildKind, Phase[]> = {
  rebuild: ['fold', 'index', 'catch-up', 'verify', 'swap'],
  verify: ['fold', 'index', 'catch-up', 'verify'],
  'as-of': ['fold', 'index'],
};

/** How many rows differ. */
export const differing = ({ missing, extra, changed }: Differences): number => missing + extra + changed;
