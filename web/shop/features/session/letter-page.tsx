import { type ReactNode, useEffect, useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { useLocation, useNavigate } from '../../../kit/router/router';
import { useHydrated } from '../../design/hydrated';
import { Heading, Page } from '../../design/layout';
import { Skeleton } from '../../design/state';
import { Title } from '../../design/title';
import { shopName } from '../content/shop-name';
import s from './letter-page.module.css';

/** Where the link of a letter leads; its token stands behind the #, so that no server's log has it. */
export function LetterPage({ title, children }: { title: string; children: (token: string) => ReactNode }) {
  const { hash, pathname } = useLocation();
  const hydrated = useHydrated();
  const navigate = useNavigate();
  const [token] = useState(() => hash.slice(1));
  // The token leaves the browser's history too.
  useEffect(() => {
    if (hash) navigate(pathname, { replace: true });
  }, [hash, pathname, navigate]);
  return (
    <Page>
      <Title text={`${title} — ${shopName()}`} />
      <div className={s.outcome}>{hydrated ? children(token) : <Skeleton kind="title" />}</div>
    </Page>
  );
}

/** Says that a letter's link leads nowhere. */
export function BadLink({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <>
      <Heading title={title} />
      <p role="alert">{text}</p>
      {children}
    </>
  );
}

/** Whether the server refused the link itself. */
export const isBadLink = (error: unknown) => error instanceof Problem && 'token' in error.fields;
