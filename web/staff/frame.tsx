import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router';
import { classes } from '../src/design/classes';
import { Link } from '../src/design/link';
import { remove } from './api/client';
import type { Permission } from './api/types';
import s from './frame.module.css';
import { useMe, whoIs } from './me';
import { usePage } from './page';
import { Action } from './parts/parts';
import x from './parts/text.module.css';

const shopName = () =>
  document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content || 'Дала';

/** The staff's pages, for those whose role opens one of them. */
const pages: { home: string; name: string; needs: Permission[] }[] = [
  { home: '/ops', name: 'Operations', needs: ['projections.see', 'log.see', 'health.see'] },
  { home: '/analytics', name: 'Analytics', needs: ['reports.see'] },
];

/** A way of the navigation; more stands behind its name. */
export type Way = { to: string; name: string; needs: Permission; more?: ReactNode };

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

/** The frame of every screen behind the sign-in. Of two ways that fit the address the longer is where one is. */
export function Frame({ ways, aside, children }: { ways: Way[]; aside?: ReactNode; children: ReactNode }) {
  const { permissions } = useMe();
  const { home } = usePage();
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  const here = ways
    .filter(({ to }) => pathname === to || pathname.startsWith(`${to}/`))
    .sort((a, b) => b.to.length - a.to.length)[0];
  return (
    <>
      <a className={s.skip} href="#main">
        To the content
      </a>
      <header className={s.header}>
        <div className={s.bar}>
          <Link to={home} className={s.mark}>
            <Words />
          </Link>
          {aside}
          <Who />
        </div>
        <nav className={s.nav} aria-label="Screens">
          <ul className={classes(ways.length > 6 && s.many)}>
            {ways
              .filter(({ needs }) => permissions.includes(needs))
              .map(({ to, name, more }) => (
                <li key={to}>
                  <Link to={to} aria-current={to === here?.to ? 'page' : undefined}>
                    {name}
                    {more}
                  </Link>
                </li>
              ))}
          </ul>
        </nav>
      </header>
      <Offline />
      <main id="main" ref={main} tabIndex={-1} className={s.main}>
        {children}
      </main>
    </>
  );
}

function Words() {
  return (
    <>
      <span className={s.word}>{shopName()}</span>{' '}
      <span className={s.sub}>{usePage().name.toLowerCase()}</span>
    </>
  );
}

function Offline() {
  return useOnline() ? null : (
    <p className={s.offline} role="status">
      This device is offline. What was loaded still shows and may be old.
    </p>
  );
}

function Who() {
  const me = useMe();
  const client = useQueryClient();
  const page = usePage();
  const [failed, setFailed] = useState(false);
  const signOut = async () => {
    setFailed(false);
    try {
      await remove('/api/staff/session');
      client.setQueryData(whoIs().queryKey, null);
    } catch {
      setFailed(true);
    }
  };
  return (
    <div className={s.who}>
      {pages
        .filter(({ home, needs }) => home !== page.home && needs.some((one) => me.permissions.includes(one)))
        .map(({ home, name }) => (
          <a key={home} href={home} className={s.other}>
            {name}
          </a>
        ))}
      <p>
        <span className={s.email}>{me.email}</span>
        <span className={s.role}>{me.role}</span>
      </p>
      <Action kind="plain" onClick={signOut}>
        Sign out
      </Action>
      <span role="alert" className={failed ? s.failed : x.hidden}>
        {failed ? 'You are still signed in: the shop did not answer.' : ''}
      </span>
    </div>
  );
}

/** The frame of what stands before the sign-in. */
export function Gate({ children }: { children: ReactNode }) {
  return (
    <div className={s.gate}>
      <header>
        <p className={s.mark}>
          <Words />
        </p>
      </header>
      <main className={s.card}>{children}</main>
    </div>
  );
}
