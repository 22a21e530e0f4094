import { useSyncExternalStore } from 'react';
import { isRecord } from '../../kit/api/problem';

/** How the server names what needs the second factor again. */
export const stepUpCode = 'step-up-required';

let waiting: ((proved: boolean) => void)[] = [];
const listeners = new Set<() => void>();

function changed(): void {
  for (const listener of listeners) listener();
}

/** Asks for the second factor; true once it was shown. Requests that ask at the same time share one dialog. */
export function askForStepUp(): Promise<boolean> {
  if (listeners.size === 0) return Promise.resolve(false);
  return new Promise((resolve) => {
    waiting = [...waiting, resolve];
    changed();
  });
}

/** Lets what waits for the second factor go on, or be refused. */
export function endStepUp(proved: boolean): void {
  const all = waiting;
  waiting = [];
  changed();
  for (const resolve of all) resolve(proved);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) endStepUp(false);
  };
}

/** Whether a request waits for the second factor. */
export const useStepUpAsked = (): boolean => useSyncExternalStore(subscribe, () => waiting.length > 0);

/** Sends a request. One that needs the second factor again is repeated once it was shown. */
export async function fetchProved(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await fetch(request);
  if (response.status !== 403) return response;
  const said: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  if (!isRecord(said) || said.code !== stepUpCode) return response;
  return (await askForStepUp()) ? fetch(again) : response;
}
