import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import { IconButton, IconLink } from '../../kit/design/button';
import { Link, PublicLink } from '../../kit/design/link';
import { onDemand } from '../../kit/design/on-demand';
import { useLocation } from '../../kit/router/router';
import { useSession } from '../api/session';
import type { Shop } from '../api/types';
import { chunkWithRetry } from '../design/chunk';
import { formatMoney, spoken } from '../design/format';
import { useHydrated } from '../design/hydrated';
import { Wrap } from '../design/layout';
import { saidIn } from '../design/said-in';
import { basketIconId, usePieces } from '../features/basket/basket-store';
import { categoryPath, categoryQueries } from '../features/category/category-queries';
import { contentQueries } from '../features/content/content-queries';
import { shopName } from '../features/content/shop-name';
import { announcementTexts, footerTexts, headerTexts } from '../texts/shell';
import { Contacts, Seller } from './contacts';
import { LanguageSwitch } from './language-switch';
import s from './shell.module.css';

const t = headerTexts;

// Dialogs are not part of the first paint: each is fetched when it is first opened.
const Menu = onDemand(() => chunkWithRetry(() => import('./menu')));
const SearchDialog = onDemand(() => chunkWithRetry(() => import('../features/search/search-dialog')));
const SessionKeeper = onDemand(() => chunkWithRetry(() => import('../features/customer/session-keeper')));
const Connection = onDemand(() => chunkWithRetry(() => import('./connection')));
const PaymentPopups = onDemand(() => chunkWithRetry(() => import('../features/checkout/payment-popups')));

/** The documents that the shop has published. */
const documentsOf = (shop: Shop) =>
  [
    { url: shop.privacy_url, text: t.privacy },
    { url: shop.offer_url, text: t.offer },
  ].filter(({ url }) => url !== '');

const useShop = () => useQuery(contentQueries.shop()).data;

/** The links of a menu that staff keep, each within such an element. */
function Ways({
  menu = [],
  as: Each = Fragment,
  ...rest
}: {
  menu?: Shop['menu'] | undefined;
  as?: 'li' | typeof Fragment;
  onClick?: () => void;
}) {
  return menu.map(({ text, text_kk, address }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: an address may stand in a menu twice, and its place is all that tells the two apart
    <Each key={at}>
      <PublicLink to={address} {...rest} {...spoken(text, text_kk)} />
    </Each>
  ));
}

/** The frame around every page: header, footer, dialogs. */
export function Shell({ children }: { children: ReactNode }) {
  return (
    <>
      <a className={s.skip} href="#main">
        {headerTexts.skipToContent}
      </a>
      <Announcement />
      <Header />
      <Later />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Footer />
      <Popups />
      {useSession() ? <SessionKeeper /> : null}
    </>
  );
}

/** Parts that show nothing at first; they start after hydration. */
function Later() {
  return useHydrated() ? <Connection /> : null;
}

function Popups() {
  const { hash } = useLocation();
  // The server never sees the hash, so it has rendered no popup.
  const hydrated = useHydrated();
  const needed = useEver(hydrated && (hash === '#success_popup' || hash === '#error_popup'));
  return needed ? <PaymentPopups /> : null;
}

/** Whether the value has been true at least once. */
function useEver(now: boolean): boolean {
  const [ever, setEver] = useState(now);
  if (now && !ever) setEver(true);
  return ever || now;
}

function Announcement() {
  const rules = useQuery(contentQueries.rules()).data;
  const shop = useShop();
  return (
    <aside className={s.bar} aria-label={announcementTexts.label}>
      <div className={s.contacts}>{shop ? <Contacts shop={shop} /> : null}</div>
      <p>
        {rules
          ? announcementTexts.freeDelivery(rules.main_city, formatMoney(rules.free_delivery_from))
          : null}
      </p>
      <LanguageSwitch />
    </aside>
  );
}

function Header() {
  const signedIn = useSession() !== null;
  const shop = useShop();
  return (
    <header className={s.header}>
      <Wrap className={s.row}>
        <MenuButton shop={shop} />
        <Link className={s.logo} to="/" aria-label={t.home(shopName())}>
          {shopName()}
        </Link>
        <nav className={s.nav} aria-label={t.nav}>
          <Ways menu={shop?.menu} />
        </nav>
        <SearchButton />
        <IconLink icon="user" to={signedIn ? '/account/info' : '/login'} label={t.account} />
        <BasketLink />
      </Wrap>
    </header>
  );
}

/** Whether a dialog is open, and whether it ever was. Any navigation closes it. */
function useDialog() {
  const { key } = useLocation();
  const [open, setOpen] = useState(false);
  const [place, setPlace] = useState(key);
  // This is no effect: the first effect would run after an early click and undo it.
  if (place !== key) {
    setPlace(key);
    setOpen(false);
  }
  return { open, ever: useEver(open), setOpen };
}

// A button and its dialog know alone that it is open: nothing else of the header is drawn again.

function MenuButton({ shop }: { shop: Shop | undefined }) {
  const { open, ever, setOpen } = useDialog();
  const [burger, setBurger] = useState(0);
  const close = () => setOpen(false);
  return (
    <>
      <IconButton
        icon="menu"
        className={s.burger}
        label={t.openMenu}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={({ currentTarget }) => {
          // The page may be scrolled past the bar above the header, or not: the menu has its cross where the burger is.
          setBurger(currentTarget.getBoundingClientRect().top);
          setOpen(true);
        }}
      />
      {ever ? (
        <Menu
          open={open}
          burger={burger}
          onClose={close}
          ways={<Ways menu={shop?.menu} onClick={close} />}
          documents={shop ? documentsOf(shop) : []}
        >
          {shop ? (
            <>
              <Contacts shop={shop} />
              <Seller shop={shop} />
            </>
          ) : null}
        </Menu>
      ) : null}
    </>
  );
}

function SearchButton() {
  const { open, ever, setOpen } = useDialog();
  return (
    <>
      <IconButton
        icon="search"
        label={t.search}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      />
      {ever ? <SearchDialog open={open} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function BasketLink() {
  const pieces = usePieces();
  return (
    <IconLink icon="bag" to="/basket" id={basketIconId} label={t.basket(pieces)}>
      {pieces > 0 ? (
        <span className={s.count} aria-hidden="true">
          {pieces}
        </span>
      ) : null}
    </IconLink>
  );
}

function Footer() {
  const categories = useQuery(categoryQueries.tree()).data ?? [];
  const shop = useShop();
  const documents = shop ? documentsOf(shop) : [];
  return (
    <footer className={s.footer}>
      <Wrap>
        <p className={s.wordmark} aria-hidden="true">
          {shopName()}
        </p>
        <div className={s.columns}>
          <section className={s.catalog} aria-label={footerTexts.catalog}>
            <h2>{footerTexts.catalog}</h2>
            <ul lang="ru">
              {categories.map((category) => (
                <li key={category.id}>
                  <Link to={categoryPath(category)} lang={category.russian && saidIn(category, 'name')}>
                    {category.name}
                  </Link>
                  {category.child_categories.length > 0 ? (
                    <ul>
                      {category.child_categories.map((child) => (
                        <li key={child.id}>
                          <Link to={categoryPath(child)} lang={child.russian && saidIn(child, 'name')}>
                            {child.name}
                          </Link>
                        </li>
                      ))}
                    </ul>
                  ) : null}
                </li>
              ))}
            </ul>
          </section>
          <section aria-label={footerTexts.buyers}>
            <h2>{footerTexts.buyers}</h2>
            <ul>
              <Ways menu={shop?.footer_menu} as="li" />
            </ul>
          </section>
          <section aria-label={footerTexts.contacts}>
            <h2>{footerTexts.contacts}</h2>
            {shop ? (
              <div className={s.reach}>
                <Contacts shop={shop} />
                {shop.social_url ? <a href={shop.social_url}>{shop.social_name}</a> : null}
              </div>
            ) : null}
          </section>
          {documents.length > 0 ? (
            <section aria-label={footerTexts.documents}>
              <h2>{footerTexts.documents}</h2>
              <ul>
                {documents.map(({ url, text }) => (
                  <li key={url}>
                    <a href={url}>{text}</a>
                  </li>
                ))}
              </ul>
            </section>
          ) : null}
        </div>
        <p className={s.legal}>{shop ? <Seller shop={shop} /> : null}</p>
      </Wrap>
    </footer>
  );
}
