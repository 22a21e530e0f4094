import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { done } from '../kit/api/answer';
import { Link } from '../kit/design/link';
import x from '../kit/design/text.module.css';
import { useLocation, useNavigationType } from '../kit/router/router';
import { api } from './api/client';
import type { Permission } from './api/types';
import s from './frame.module.css';
import { useLanguage } from './language';
import { LanguageSwitch } from './language-switch';
import { useMe, whoIs } from './me';
import { Navigation } from './navigation';
import { Action } from './parts/parts';
import { mayOpen, sections, useSection } from './sections';
import { frameTexts } from './texts/ru';

const shopName = () =>
  document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content || 'Дала';

/** A link of the navigation, for everybody or for a permission; more is shown after its name. */
export type Way = {
  to: string;
  name: () => string;
  needs?: Permission;
  more?: () => ReactNode;
  /** The group that it is in; without one it stands alone. */
  group?: () => string;
};

const useOnline = () =>
  useSyncExternalStore(
    (changed) => {
      addEventListener('online', changed);
      addEventListener('offline', changed);
      return () => {
        removeEventListener('online', changed);
        removeEventListener('offline', changed);
      };
    },
    () => navigator.onLine,
  );

/**
 * Says in the language of the staff app what the strip above it says: the server puts one on the page of a shop whose
 * bank is a test.
 */
function useTestBankStrip() {
  const language = useLanguage();
  useEffect(() => {
    const strip = document.querySelector('.test-bank');
    if (!strip) return;
    strip.setAttribute('lang', language);
    strip.setAttribute('aria-label', frameTexts.testBankShort);
    strip.textContent = frameTexts.testBank;
  }, [language]);
}

/** The frame of every screen behind the sign-in. Of two ways that fit the address the longer is where one is. */
export function Frame({ ways, aside, children }: { ways: Way[]; aside?: ReactNode; children: ReactNode }) {
  useTestBankStrip();
  const { permissions } = useMe();
  const { home } = useSection();
  const arrived = useNavigationType() === 'PUSH';
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  // Coming from another section counts as a new screen too.
  const before = useRef(arrived ? '' : pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  const here = ways
    .filter(({ to }) => pathname === to || pathname.startsWith(`${to}/`))
    .sort((a, b) => b.to.length - a.to.length)[0];
  const open = ways.filter(({ needs }) => !needs || permissions.includes(needs));
  return (
    <>
      <a className={s.skip} href="#main">
        {frameTexts.toContent}
      </a>
      <header className={s.header}>
        <div className={s.bar}>
          <Link to={home} className={s.mark}>
            <Brand />
          </Link>
          {aside}
          <SignedIn />
        </div>
        <nav className={s.nav} aria-label={frameTexts.screens}>
          <Navigation ways={open} here={here} />
        </nav>
      </header>
      <Offline />
      <main id="main" ref={main} tabIndex={-1} className={s.main}>
        {children}
      </main>
    </>
  );
}

function Brand() {
  return (
    <>
      <span className={s.word}>{shopName()}</span>{' '}
      <span className={s.sub}>{useSection().name().toLowerCase()}</span>
    </>
  );
}

function Offline() {
  return useOnline() ? null : (
    <p className={s.offline} role="status">
      {frameTexts.offline}
    </p>
  );
}

function SignedIn() {
  const me = useMe();
  const client = useQueryClient();
  const here = useSection();
  const [failed, setFailed] = useState(false);
  const signOut = async () => {
    setFailed(false);
    try {
      await done(api.DELETE('/api/staff/session/'));
      client.setQueryData(whoIs().queryKey, null);
    } catch {
      setFailed(true);
    }
  };
  return (
    <div className={s.who}>
      {sections
        .filter((one) => one.home !== here.home && mayOpen(one, me.permissions))
        .map(({ home, name }) => (
          <Link key={home} to={home} className={s.other}>
            {name()}
          </Link>
        ))}
      <p>
        <Link to={`${here.home}/account`} className={s.email} title={frameTexts.account}>
          {me.email}
        </Link>
        <span className={s.role}>{frameTexts.roles[me.role]}</span>
      </p>
      <LanguageSwitch />
      <Action kind="plain" onClick={signOut}>
        {frameTexts.signOut}
      </Action>
      <span role="alert" className={failed ? s.failed : x.hidden}>
        {failed ? frameTexts.stillSignedIn : ''}
      </span>
    </div>
  );
}

/** The frame of what stands before the sign-in. */
export function Gate({ children }: { children: ReactNode }) {
  useTestBankStrip();
  return (
    <div className={s.gate}>
      <header>
        <p className={s.mark}>
          <Brand />
        </p>
        <LanguageSwitch />
      </header>
      <main className={s.card}>{children}</main>
    </div>
  );
}
