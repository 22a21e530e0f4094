import { vi } from 'vitest';
import type { Me } from '../../api/types';
import { openPage, type Routes } from '../../testing/open';
import type { Build, DeadLetter, LogEvent, Projection } from '../api/types';

/** The server's side of the live stream, in a test's hand. */
export class Stream extends EventTarget {
  static all: Stream[] = [];
  /** The one that is open now. */
  static get last(): Stream {
    const last = Stream.all.at(-1);
    if (!last) throw new Error('No stream was opened.');
    return last;
  }
  onopen?: () => void;
  onerror?: () => void;
  closed = false;
  constructor(readonly url: string) {
    super();
    Stream.all.push(this);
  }
  close() {
    this.closed = true;
  }
  says(name: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }
}

export const operator: Me = {
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60',
  email: 'dana@shop.example',
  role: 'operator',
  permissions: ['projections.see', 'projections.run', 'log.see', 'health.see'],
  csrf: 'token-of-the-session',
};

export const analyst: Me = { ...operator, role: 'analyst', permissions: ['projections.see', 'log.see'] };

export const projection = (facts: Partial<Projection> = {}): Projection => ({
  name: 'catalog',
  kind: 'read model',
  version: 3,
  state: 'live',
  position: 48_213,
  head: 48_213,
  lag: 0,
  lag_seconds: 0,
  rate: 12.4,
  dead_letters: 0,
  updated_at: '2026-11-21T10:00:00Z',
  ranges: [{ range: 0, position: 48_213, holder: 'shop-a', term: 7 }],
  previous: null,
  build: null,
  ...facts,
});

export const projections = (...list: Projection[]) => ({
  at: '2026-11-21T10:00:00Z',
  head: 48_213,
  projections: list,
});

export const build = (facts: Partial<Build> = {}): Build => ({
  id: 17,
  projection: 'catalog',
  kind: 'rebuild',
  state: 'running',
  phase: 'fold',
  schema: 'catalog_b17',
  position: 48_213,
  progress: 0.63,
  events: 30_374,
  rate: 91_240,
  eta_seconds: 12,
  started_at: '2026-11-21T10:00:00Z',
  updated_at: '2026-11-21T10:00:40Z',
  finished_at: null,
  holder: 'shop-a',
  actor: 'staff:1',
  error: '',
  swap_lock_seconds: null,
  differences: null,
  ...facts,
});

export const event = (facts: Partial<LogEvent> = {}): LogEvent => ({
  position: 10,
  id: '0199a6f2-0000-7000-8000-000000000010',
  stream: 'order-1',
  version: 1,
  type: 'order.placed',
  schema: 1,
  recorded_at: '2026-11-21T10:00:00Z',
  actor: 'guest',
  correlation: 'req-1',
  causation: '',
  trace: '',
  data: { number: 7, email: '•••' },
  erased: false,
  ...facts,
});

export const letter = (facts: Partial<DeadLetter> = {}): DeadLetter => ({
  projection: 'orders',
  position: 47_011,
  stream: 'order-1',
  version: 3,
  type: 'order.shipped',
  error: 'column "carrier" violates not-null',
  attempts: 5,
  parked_at: '2026-11-21T09:00:00Z',
  tried_at: '2026-11-21T09:30:00Z',
  retry: false,
  ...facts,
});

/** Opens an address of the operators' page against such a server. */
export function open(path: string, routes: Routes, me: Me | null = operator) {
  Stream.all = [];
  vi.stubGlobal('EventSource', Stream);
  return openPage(
    path,
    {
      'GET /api/ops/projections': projections(projection()),
      'GET /api/ops/rates': { step: 1, projections: { catalog: [1, 5, 12] } },
      ...routes,
    },
    me,
  );
}
