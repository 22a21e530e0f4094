/** What the main thread's processor time goes into between an event and the frame that shows its answer. */
const kinds = ['script', 'style', 'layout', 'paint', 'other'];

/** Beside it: all of that time, and how many elements got their style again, which no other load on the machine changes. */
export const columns = [...kinds, 'all', 'restyled'];

const kindOf = {
  FunctionCall: 'script',
  EventDispatch: 'script',
  TimerFire: 'script',
  FireAnimationFrame: 'script',
  FireIdleCallback: 'script',
  RunMicrotasks: 'script',
  'v8.run': 'script',
  EvaluateScript: 'script',
  UpdateLayoutTree: 'style',
  Layout: 'layout',
  PrePaint: 'paint',
  Paint: 'paint',
  Layerize: 'paint',
  Commit: 'paint',
};

const inputs = new Set(['pointerdown', 'pointerup', 'click', 'keydown', 'keyup']);

/** The time of each event without that of the events within it, by kind. */
function byKind(events, sums) {
  const open = [];
  const close = (until) => {
    while (open.length > 0 && open.at(-1).ts + open.at(-1).dur <= until) {
      const { kind, own } = open.pop();
      sums[kind] += own / 1000;
    }
  };
  for (const { name, ts, dur, tdur = dur } of events) {
    close(ts);
    const kind = kindOf[name] ?? open.at(-1)?.kind ?? 'other';
    if (open.length > 0) open.at(-1).own -= tdur;
    open.push({ kind, ts, dur, own: tdur });
  }
  close(Number.POSITIVE_INFINITY);
}

/** What the main thread of the page in a trace has done altogether, in milliseconds of processor time, by kind. */
export function costsOfStart(buffer) {
  const { traceEvents } = JSON.parse(buffer.toString());
  const complete = traceEvents.filter(({ ph }) => ph === 'X');
  const [page] = complete.filter(({ name }) => name === 'ParseHTML').sort((a, b) => b.dur - a.dur);
  const main = complete.filter(({ pid, tid }) => pid === page.pid && tid === page.tid);
  return costsOf(main.sort((a, b) => a.ts - b.ts || b.dur - a.dur));
}

/** The costs of events of one thread, in their order. */
function costsOf(events) {
  const sums = Object.fromEntries(kinds.map((kind) => [kind, 0]));
  byKind(events, sums);
  sums.all = kinds.reduce((sum, kind) => sum + sums[kind], 0);
  sums.restyled = events.reduce((sum, { args }) => sum + (args?.elementCount ?? 0), 0);
  return sums;
}

/** The costs of the most expensive of the inputs in a trace: of all tasks from its dispatch to the commit of the next frame. */
export function costs(buffer) {
  const { traceEvents } = JSON.parse(buffer.toString());
  const first = traceEvents.find(
    ({ name, args }) => name === 'EventDispatch' && inputs.has(args?.data?.type),
  );
  if (!first) return Object.fromEntries(columns.map((column) => [column, 0]));
  const { pid, tid } = first;
  const main = traceEvents
    .filter((event) => event.pid === pid && event.tid === tid && event.ph === 'X')
    .sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const found = main
    .filter(({ name, args }) => name === 'EventDispatch' && inputs.has(args?.data?.type))
    .map((input) => {
      const commit = main.find(({ name, ts }) => name === 'Commit' && ts > input.ts);
      const end = commit ? commit.ts + commit.dur : Number.POSITIVE_INFINITY;
      // The task that the input came in has begun before it.
      return costsOf(main.filter(({ ts, dur }) => ts + dur > input.ts && ts < end));
    });
  return found.reduce((a, b) => (b.all > a.all ? b : a));
}
