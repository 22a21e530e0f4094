import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { isTransient, Problem } from '../../kit/api/problem';
import { Button, ButtonLink } from '../../kit/design/button';
import { FormError } from '../../kit/design/field';
import { ofPersons, useSession } from '../api/session';
import { Heading } from '../design/layout';
import { LoadError } from '../design/state';
import { Resend } from '../features/customer/resend';
import { showRefusal } from '../features/form/refusal';
import { PasswordField } from '../features/form/text-field';
import s from '../features/session/entry.module.css';
import { BadLink, isBadLink, LetterPage } from '../features/session/letter-page';
import { LetterPassword } from '../features/session/letter-password';
import { leadingTo } from '../features/session/next';
import { useVerify, verification } from '../features/session/session-commands';
import { ownerSchema } from '../features/session/session-schema';
import { formTexts } from '../texts/form';
import { verifyTexts } from '../texts/session';

const t = verifyTexts;

/** Proves an e-mail. Who is not signed in to the account is asked for a password first. */
export default function VerifyEmailPage() {
  return <LetterPage title={t.title}>{(token) => <Outcome token={token} />}</LetterPage>;
}

function Outcome({ token }: { token: string }) {
  const signedIn = useSession() !== null;
  const client = useQueryClient();
  const proof = useQuery({ ...verification(token), enabled: token !== '' });
  const verify = useVerify();
  const [isBad, setBad] = useState(false);
  const proved = proof.isSuccess || (verify.isSuccess && 'current_password' in verify.variables);
  useEffect(() => {
    if (proved) void client.invalidateQueries({ queryKey: ofPersons });
  }, [proved, client]);
  if (token === '') return <Failed text={t.noToken} />;
  if (isBad) return <Failed text={t.failedText} />;
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
  const wants = proof.error instanceof Problem ? proof.error.fields : {};
  if ('new_password' in wants) {
    return (
      <>
        <Heading title={t.title} />
        <LetterPassword
          lead={t.choose}
          submit={t.submit}
          send={(passwords) => verify.mutateAsync({ token, ...passwords })}
          onBadLink={() => setBad(true)}
        />
      </>
    );
  }
  if ('current_password' in wants) {
    return <Owner send={(body) => verify.mutateAsync({ token, ...body })} onBadLink={() => setBad(true)} />;
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

/** Asks for the account's password: another e-mail is answered by the account's owner alone. */
function Owner({
  send,
  onBadLink,
}: {
  send: (body: { current_password: string }) => Promise<unknown>;
  onBadLink: () => void;
}) {
  const form = useForm({ defaultValues: { current_password: '' }, resolver: zodResolver(ownerSchema) });
  const { errors, isSubmitting, submitCount } = form.formState;
  const submit = form.handleSubmit(async (body) => {
    try {
      await send(body);
    } catch (error) {
      if (isBadLink(error)) onBadLink();
      else showRefusal(form, error);
    }
  });
  return (
    <>
      <Heading title={t.title} />
      <form noValidate className={s.form} onSubmit={submit}>
        <p className={s.lead}>{t.owner}</p>
        <PasswordField
          form={form}
          name="current_password"
          label={t.currentPassword}
          autoComplete="current-password"
        />
        <FormError attempt={submitCount}>{errors.root}</FormError>
        <Button type="submit" disabled={isSubmitting}>
          {isSubmitting ? formTexts.sending : t.submit}
        </Button>
      </form>
    </>
  );
}

function Failed({ text }: { text: string }) {
  const signedIn = useSession() !== null;
  return (
    <BadLink title={t.failed} text={text}>
      {signedIn ? <Resend /> : <ButtonLink to={leadingTo('/login', '/account/info')}>{t.login}</ButtonLink>}
    </BadLink>
  );
}
