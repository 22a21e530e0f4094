import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { isTransient } from '../../kit/api/problem';
import { ButtonLink } from '../../kit/design/button';
import { ofPersons, useSession } from '../api/session';
import { useHydrated } from '../design/hydrated';
import { Heading, Page } from '../design/layout';
import { LoadError, Skeleton } from '../design/state';
import { Title } from '../design/title';
import { shopName } from '../features/content/shop-name';
import { Resend } from '../features/customer/resend';
import { leadingTo } from '../features/session/next';
import { verification } from '../features/session/session-commands';
import { verifyTexts } from '../texts/session';
import s from './verify-email.module.css';

const t = verifyTexts;

/** Where the link of a letter leads; its token stands behind the #, so that no server's log has it. */
export default function VerifyEmailPage() {
  const { hash, pathname } = useLocation();
  const hydrated = useHydrated();
  const navigate = useNavigate();
  const [token] = useState(() => hash.slice(1));
  // Nor shall the browser's history keep it.
  useEffect(() => {
    if (hash) navigate(pathname, { replace: true });
  }, [hash, pathname, navigate]);
  return (
    <Page>
      <Title text={`${t.title} — ${shopName()}`} />
      <div className={s.outcome}>{hydrated ? <Outcome token={token} /> : <Skeleton kind="title" />}</div>
    </Page>
  );
}

function Outcome({ token }: { token: string }) {
  const signedIn = useSession() !== null;
  const client = useQueryClient();
  const proof = useQuery({ ...verification(token), enabled: token !== '' });
  const proved = proof.isSuccess;
  useEffect(() => {
    if (proved) void client.invalidateQueries({ queryKey: ofPersons });
  }, [proved, client]);
  if (token === '') return <Failed text={t.noToken} />;
  if (proved) {
    return (
      <>
        <Heading title={t.done} />
        <p role="status">{t.doneText}</p>
        <ButtonLink to={signedIn ? '/account/orders' : leadingTo('/login', '/account/orders')}>
          {t.toOrders}
        </ButtonLink>
      </>
    );
  }
  if (proof.isError && isTransient(proof.error)) {
    return (
      <>
        <Heading title={t.title} />
        <LoadError retry={() => proof.refetch()} />
      </>
    );
  }
  if (proof.isError) return <Failed text={t.failedText} />;
  return (
    <>
      <Heading title={t.title} />
      <p role="status">{t.checking}</p>
    </>
  );
}

function Failed({ text }: { text: string }) {
  const signedIn = useSession() !== null;
  return (
    <>
      <Heading title={t.failed} />
      <p role="alert">{text}</p>
      {signedIn ? <Resend /> : <ButtonLink to={leadingTo('/login', '/account/info')}>{t.login}</ButtonLink>}
    </>
  );
}
