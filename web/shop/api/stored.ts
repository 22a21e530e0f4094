/** Who is to hear when this tab, or another one, changes what the browser keeps under a key. */
export function stored(key: string, readAgain: () => void) {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  /** A null key means that the whole storage was cleared. */
  const onStorage = (event: StorageEvent) => {
    if (event.key !== key && event.key !== null) return;
    readAgain();
    tell();
  };
  return {
    tell,
    subscribe(listener: () => void) {
      if (listeners.size === 0) addEventListener('storage', onStorage);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) removeEventListener('storage', onStorage);
      };
    },
  };
}
