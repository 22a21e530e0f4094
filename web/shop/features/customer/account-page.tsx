import type { ReactNode } from 'react';
import { Link } from '../../../kit/design/link';
import { useLocation } from '../../../kit/router/router';
import type { Profile } from '../../api/types';
import { Heading, Page } from '../../design/layout';
import { LoadError, Skeleton } from '../../design/state';
import { Title } from '../../design/title';
import { accountTexts } from '../../texts/account';
import { shopName } from '../content/shop-name';
import { CustomersOnly } from '../session/customers-only';
import { useSignOut } from '../session/session-commands';
import s from './account-page.module.css';
import { Avatar } from './avatar';
import { useProfile } from './customer-queries';

const t = accountTexts;

/** A page of the account, with the panel that all of them share. */
export function AccountPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Page>
      <Title text={`${title} — ${shopName()}`} />
      <CustomersOnly waiting={<Skeleton kind="tile" />}>
        <div className={s.grid}>
          <SidePanel />
          <div className={s.content}>
            <Heading title={title} />
            {children}
          </div>
        </div>
      </CustomersOnly>
    </Page>
  );
}

function SidePanel() {
  const { pathname } = useLocation();
  const profile = useProfile();
  const signOut = useSignOut();
  const pages = [
    { to: '/account/info', text: t.info },
    { to: '/account/orders', text: t.orders },
    { to: '/account/bonuses', text: t.bonuses },
    { to: '/account/waiting', text: t.waiting },
    { to: '/account/security', text: t.security },
  ];
  return (
    <section className={s.panel} aria-label={t.menu}>
      {profile.isError ? <LoadError retry={() => profile.refetch()} /> : <Person profile={profile.data} />}
      <nav className={s.pages} aria-label={t.menu}>
        {pages.map(({ to, text }) => (
          <Link key={to} to={to} aria-current={pathname.replace(/\/$/, '') === to ? 'page' : undefined}>
            {text}
          </Link>
        ))}
      </nav>
      <button
        type="button"
        className={s.signOut}
        disabled={signOut.isPending}
        onClick={() => signOut.mutate()}
      >
        {signOut.isPending ? t.signingOut : t.signOut}
      </button>
    </section>
  );
}

function Person({ profile }: { profile: Profile | undefined }) {
  if (!profile) return <Skeleton className={s.unknown} kind="fill" />;
  return (
    <div className={s.person}>
      <Avatar profile={profile} />
      <div>
        <p className={s.name}>
          {profile.first_name} {profile.last_name}
        </p>
        <p className={s.phone}>{profile.info.phone}</p>
      </div>
    </div>
  );
}
