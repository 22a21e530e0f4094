import { useSyncExternalStore } from 'react';
import { stored } from './stored';

/** Where the browser keeps who is signed in. Fixed: a sign-in outlives every release. */
export const sessionKey = 'dala.session';

/** Who is signed in: the customer's identifier and the bearer token of their calls. */
export type Session = { userId: string; token: string };

/** How the keys of all questions about persons begin; the cache of a person goes with their session. */
export const ofPersons = ['personal'] as const;

/** How the keys of the questions about one person begin. */
export const personal = (of: Session | null) => [...ofPersons, of?.userId ?? ''] as const;

let present: Session | null = null;
let loaded = false;
let left = false;
const kept = stored(sessionKey, () => {
  loaded = false;
  present = null;
  load();
});

/** Storage may hold anything: what does not look like a session is none. */
function parse(stored: string | null): Session | null {
  try {
    const value: unknown = JSON.parse(stored ?? 'null');
    if (typeof value !== 'object' || value === null) return null;
    const { userId, token } = value as Record<string, unknown>;
    return typeof userId === 'string' && typeof token === 'string' && token ? { userId, token } : null;
  } catch {
    return null;
  }
}

function load(): void {
  if (loaded || typeof localStorage === 'undefined') return;
  loaded = true;
  try {
    present = parse(localStorage.getItem(sessionKey));
  } catch {
    // Storage closed to us: the session then lives as long as the page.
  }
}

function set(next: Session | null): void {
  loaded = true;
  present = next;
  try {
    if (next) localStorage.setItem(sessionKey, JSON.stringify(next));
    else localStorage.removeItem(sessionKey);
  } catch {
    // See load.
  }
  kept.tell();
}

/** The session of this browser. Every change is stored and reaches the other tabs. */
export const session = {
  /** Null when nobody is signed in. */
  get(): Session | null {
    load();
    return present;
  },
  start(next: Session): void {
    left = false;
    set(next);
  },
  /** Removes the session from this browser. The caller revokes it at the server. Without a session it does nothing. */
  end(): void {
    if (session.get()) set(null);
  },
  /** Removes the session because the customer signed out. */
  leave(): void {
    left = true;
    session.end();
  },
  /** Whether the last session ended by signing out, not by expiry. */
  wasLeft: (): boolean => left,
};

/** Who is signed in; nobody on the server and during hydration. */
export const useSession = (): Session | null => useSyncExternalStore(kept.subscribe, session.get, () => null);
