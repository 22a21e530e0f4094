import type { ReactNode } from 'react';
import s from './basket-place.module.css';

/**
 * What stands for the basket until the browser's own is read: its place, or, where the script in index.html has found
 * nothing kept, that it is empty.
 */
export function BasketPlace({ children, empty }: { children: ReactNode; empty: ReactNode }) {
  return (
    <>
      <div className={s.place}>{children}</div>
      <div className={s.empty}>{empty}</div>
    </>
  );
}
