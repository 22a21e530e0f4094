import { IconButton } from '../../kit/design/button';
import { Dialog } from '../../kit/design/dialog';
import { Link } from '../../kit/design/link';
import type { Shop } from '../api/types';
import { headerTexts } from '../texts/shell';
import { Contacts, Seller } from './contacts';
import s from './menu.module.css';

const t = headerTexts;

/** The menu of narrow screens. */
export default function Menu({
  open,
  onClose,
  ways,
  documents,
  shop,
}: {
  open: boolean;
  onClose: () => void;
  ways: { to: string; text: string }[];
  documents: { url: string; text: string }[];
  shop?: Shop;
}) {
  return (
    <Dialog open={open} onClose={onClose} label={t.menu} place="left">
      <nav className={s.menu} aria-label={t.nav}>
        <IconButton icon="close" label={t.closeMenu} onClick={onClose} />
        {ways.map(({ to, text }) => (
          <Link key={to} to={to} onClick={onClose}>
            {text}
          </Link>
        ))}
        {documents.length > 0 ? (
          <div className={s.documents}>
            {documents.map(({ url, text }) => (
              <a key={url} href={url}>
                {text}
              </a>
            ))}
          </div>
        ) : null}
        {shop ? (
          <div className={s.documents}>
            <Contacts shop={shop} />
            <Seller shop={shop} />
          </div>
        ) : null}
      </nav>
    </Dialog>
  );
}
