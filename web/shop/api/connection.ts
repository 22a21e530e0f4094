let lost = false;
const listeners = new Set<() => void>();

/**
 * Whether the shop can be reached, as the last call has found. What the service worker kept is no sign of the shop:
 * such answers bear the header X-From-Cache.
 */
export const connection = {
  isLost: (): boolean => lost,
  notice(reached: boolean): void {
    if (lost === !reached) return;
    lost = !reached;
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
