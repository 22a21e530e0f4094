import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router';
import { classes } from '../src/design/classes';
import { Link } from '../src/design/link';
import { remove } from './api/client';
import { queries } from './api/queries';
import type { Permission } from './api/types';
import { type LiveState, useLive, usePolling } from './live';
import { useMay, useMe } from './me';
import { count } from './parts/format';
import { Mark, type Tone } from './parts/mark';
import { Action } from './parts/parts';
import s from './shell.module.css';

const shopName = () =>
  document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content || 'Дала';

const screens: { to: string; name: string; needs: Permission }[] = [
  { to: '/ops/projections', name: 'Projections', needs: 'projections.see' },
  { to: '/ops/builds', name: 'Builds', needs: 'projections.see' },
  { to: '/ops/dead-letters', name: 'Dead letters', needs: 'projections.see' },
  { to: '/ops/log', name: 'Log', needs: 'log.see' },
  { to: '/ops/health', name: 'Health', needs: 'health.see' },
];

const links: Record<LiveState, { tone: Tone; word: string; why: string }> = {
  connecting: { tone: 'rest', word: 'Connecting', why: 'The live stream is being opened.' },
  live: { tone: 'good', word: 'Live', why: 'What happens shows at once.' },
  polling: {
    tone: 'busy',
    word: 'Reconnecting',
    why: 'The live stream broke. The page asks every 3 seconds until it is back.',
  },
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

/** The frame of every screen behind the sign-in. */
export function Shell({ children }: { children: ReactNode }) {
  const me = useMe();
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <>
      <a className={s.skip} href="#main">
        To the content
      </a>
      <header className={s.header}>
        <div className={s.bar}>
          <Link to="/ops/projections" className={s.mark}>
            <span className={s.word}>{shopName()}</span> <span className={s.sub}>operations</span>
          </Link>
          <Connection />
          <Who />
        </div>
        <nav className={s.nav} aria-label="Screens">
          <ul>
            {screens
              .filter(({ needs }) => me.permissions.includes(needs))
              .map(({ to, name }) => (
                <li key={to}>
                  <Link to={to} aria-current={pathname.startsWith(to) ? 'page' : undefined}>
                    {name}
                    {name === 'Dead letters' ? <Waiting /> : null}
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

function Connection() {
  const { tone, word, why } = links[useLive().state];
  return (
    <p className={s.live} role="status" title={why}>
      <Mark tone={tone}>{word}</Mark>
    </p>
  );
}

function Offline() {
  return useOnline() ? null : (
    <p className={s.offline} role="status">
      This device is offline. What was loaded still shows and may be old.
    </p>
  );
}

/** How many dead letters wait, beside the way to them. */
function Waiting() {
  const may = useMay('projections.see');
  const { data } = useQuery({ ...queries.projections(), refetchInterval: usePolling(), enabled: may });
  const letters = data?.projections.reduce((sum, { dead_letters }) => sum + dead_letters, 0) ?? 0;
  return letters > 0 ? (
    <span className={s.waiting}>
      {count(letters)}
      <span className={s.hidden}> waiting</span>
    </span>
  ) : null;
}

function Who() {
  const me = useMe();
  const client = useQueryClient();
  const [failed, setFailed] = useState(false);
  const signOut = async () => {
    setFailed(false);
    try {
      await remove('/api/staff/session');
      client.setQueryData(queries.me().queryKey, null);
    } catch {
      setFailed(true);
    }
  };
  return (
    <div className={s.who}>
      <p>
        <span className={s.email}>{me.email}</span>
        <span className={s.role}>{me.role}</span>
      </p>
      <Action kind="plain" onClick={signOut}>
        Sign out
      </Action>
      <span role="alert" className={classes(s.failed, !failed && s.hidden)}>
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
          <span className={s.word}>{shopName()}</span> <span className={s.sub}>operations</span>
        </p>
      </header>
      <main className={s.card}>{children}</main>
    </div>
  );
}
