import type { CSSProperties, ReactNode } from 'react';
import { IconButton } from '../../kit/design/button';
import { Dialog } from '../../kit/design/dialog';
import { headerTexts } from '../texts/shell';
import s from './menu.module.css';

const t = headerTexts;

/** The menu of narrow screens. */
export default function Menu({
  open,
  burger,
  onClose,
  ways,
  documents,
  children,
}: {
  open: boolean;
  /** How far below the upper edge of the screen the burger is. */
  burger: number;
  onClose: () => void;
  ways: ReactNode;
  documents: { url: string; text: string }[];
  /** How to reach the shop. */
  children?: ReactNode;
}) {
  return (
    <Dialog open={open} onClose={onClose} label={t.menu} place="left">
      <nav className={s.menu} style={{ '--burger': `${burger}px` } as CSSProperties} aria-label={t.nav}>
        <IconButton icon="close" label={t.closeMenu} data-close="" />
        {ways}
        {documents.length > 0 ? (
          <div className={s.documents}>
            {documents.map(({ url, text }) => (
              <a key={url} href={url}>
                {text}
              </a>
            ))}
          </div>
        ) : null}
        {children ? <div className={s.documents}>{children}</div> : null}
      </nav>
    </Dialog>
  );
}
