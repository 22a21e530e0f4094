import type { Tone } from '../../parts/mark';
import type { Build, BuildKind, BuildState, Differences } from '../api/types';
import { buildTexts } from '../texts/ru';

export const buildTones: Record<BuildState, Tone> = {
  waiting: 'rest',
  running: 'busy',
  paused: 'rest',
  ready: 'busy',
  swapping: 'busy',
  done: 'good',
  failed: 'bad',
  cancelled: 'rest',
};

export type Phase = Build['phase'];

/** The phases that such a build goes through, in order. */
export const phasesOf: Record<BuildKind, Phase[]> = {
  rebuild: ['fold', 'index', 'catch-up', 'verify', 'swap'],
  verify: ['fold', 'index', 'catch-up', 'verify'],
  'as-of': ['fold', 'index'],
};

/** How many rows differ. */
export const differing = ({ missing, extra, changed }: Differences): number => missing + extra + changed;

/** Rebuild of catalog */
export const titleOf = ({ kind, projection }: Build): string =>
  buildTexts.titleOf(buildTexts.kinds[kind], projection);

/** The phase that a build is in, or its state when it is in none. */
export const stageOf = ({ phase, state }: Pick<Build, 'phase' | 'state'>): string =>
  phase ? buildTexts.phases[phase].name : buildTexts.states[state];

/** How long a build took, or has run for, in seconds. */
export const took = (build: Build): number =>
  (Date.parse(build.finished_at ?? build.updated_at) - Date.parse(build.started_at)) / 1000;
