import { useSyncExternalStore } from 'react';
import type { OrderRequest } from '../../api/types';

/** Where a tab keeps the order it has sent, until the shop has answered. */
const storageKey = 'dala.attempt';

/**
 * An order that was sent, and the Idempotency-Key under which it is one order however often it is sent. An order that
 * was changed while nobody knew whether it had arrived keeps the key: of all that went out under it the shop takes one.
 */
type Attempt = {
  key: string;
  order: OrderRequest /** As it was before, the latest first. */;
  earlier: OrderRequest[];
};

/** An attempt without an answer; here: it was lost on this page, not before a reload. */
export type Unanswered = Attempt & { here: boolean };

let sent: Attempt | undefined;
let unanswered: Unanswered | null = null;
let loaded = false;
const listeners = new Set<() => void>();

/** A page that opens with an attempt in storage was left before the answer came. */
function load(): Unanswered | null {
  if (loaded || typeof sessionStorage === 'undefined') return unanswered;
  loaded = true;
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
    if (
      typeof stored === 'object' &&
      stored !== null &&
      'key' in stored &&
      'order' in stored &&
      'earlier' in stored
    ) {
      sent = stored as Attempt;
      unanswered = { ...sent, here: false };
    }
  } catch {
    // Storage closed to us: an attempt then lives as long as the page.
  }
  return unanswered;
}

function keep(attempt: Attempt | undefined) {
  sent = attempt;
  try {
    if (attempt) sessionStorage.setItem(storageKey, JSON.stringify(attempt));
    else sessionStorage.removeItem(storageKey);
  } catch {
    // See load.
  }
}

function tell(next: Unanswered | null) {
  unanswered = next;
  for (const listener of listeners) listener();
}

/** The order on its way. Until it is answered its key stays, also after a reload or a change. */
export const attempt = {
  begin(order: OrderRequest): Attempt {
    load();
    if (!sent) keep({ key: crypto.randomUUID(), order, earlier: [] });
    else if (JSON.stringify(sent.order) !== JSON.stringify(order))
      keep({ key: sent.key, order, earlier: [sent.order, ...sent.earlier] });
    return sent as Attempt;
  },
  /** Lets the form stand again in the place of an order without an answer. */
  change(): void {
    tell(null);
  },
  /** The order was refused. What went out before it may have arrived, so its key stays. */
  refuse(): void {
    const [order, ...earlier] = sent?.earlier ?? [];
    keep(sent && order ? { key: sent.key, order, earlier } : undefined);
    tell(null);
  },
  /** Null when none waits for an answer. */
  unanswered: load,
  /** The order is placed. What stands in the place of the form stays until the page is left. */
  answer(): void {
    keep(undefined);
  },
  /** The attempt is over: placed and left behind. */
  settle(): void {
    load();
    keep(undefined);
    tell(null);
  },
  /** No answer came: the order may have been placed or not. */
  lose(): void {
    if (sent) tell({ ...sent, here: true });
  },
};

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The attempt that waits for an answer; null when there is none, and on the server. */
export const useUnanswered = (): Unanswered | null =>
  useSyncExternalStore(subscribe, attempt.unanswered, () => null);
