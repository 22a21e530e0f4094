import { type ReactNode, useMemo, useState } from 'react';
import { entry, History, type Moment, type Mover } from '../router/history';

/** A history of a test, at the last of its addresses. */
export function MemoryRouter({
  initialEntries,
  children,
}: {
  initialEntries: string[];
  children: ReactNode;
}) {
  const [{ entries, at }, setHistory] = useState(() => ({
    entries: initialEntries.map<Moment>((address, place) => ({
      location: entry(address, null, `entry ${place}`),
      way: 'POP',
    })),
    at: initialEntries.length - 1,
  }));
  const mover = useMemo<Mover>(
    () => ({
      move: (way, location) =>
        setHistory(({ entries, at }) => {
          const kept = entries.slice(0, way === 'PUSH' ? at + 1 : at);
          return { entries: [...kept, { location, way }], at: kept.length };
        }),
      go: (delta) =>
        setHistory(({ entries, at }) => {
          const next = Math.min(Math.max(at + delta, 0), entries.length - 1);
          return {
            entries: entries.map((one, place) => (place === next ? { ...one, way: 'POP' as const } : one)),
            at: next,
          };
        }),
    }),
    [],
  );
  return (
    <History moment={entries[at] as Moment} mover={mover}>
      {children}
    </History>
  );
}
