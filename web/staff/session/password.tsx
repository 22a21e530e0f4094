import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { done } from '../../kit/api/answer';
import { isRecord, Problem } from '../../kit/api/problem';
import { Button, ButtonLink } from '../../kit/design/button';
import { useLocation, useNavigate } from '../../kit/router/router';
import { api, words } from '../api/client';
import { Gate } from '../frame';
import { NewPassword, newPassword, sameAgain } from '../parts/new-password';
import { useSection } from '../sections';
import { sessionTexts } from '../texts/ru';
import s from './session.module.css';

const schema = z
  .object({
    password: newPassword(),
    again: z.string(),
  })
  .check(sameAgain(({ password }) => password));

/** Whether the server refused the password because it would be guessed first. */
const isGuessable = (failure: unknown) =>
  failure instanceof Problem && isRecord(failure.body) && failure.body.code === 'staff/guessable-password';

/** Where a one-time link leads: its token stands behind the #, which no server sees, and leaves the address at once. */
export function Password() {
  const navigate = useNavigate();
  const { name, home } = useSection();
  const { hash } = useLocation();
  const [token] = useState(() => hash.slice(1));
  const [isSet, setIsSet] = useState(false);
  const title = `${sessionTexts.choose} — ${name()}`;

  useEffect(() => {
    document.title = title;
    if (hash) navigate(`${home}/password`, { replace: true });
  }, [hash, navigate, title, home]);

  if (!token) {
    return (
      <Gate>
        <h1 className={s.title}>{sessionTexts.incomplete}</h1>
        <div className={s.stack}>
          <p>{sessionTexts.incompleteWhy}</p>
          <ButtonLink to={home}>{sessionTexts.toSignIn}</ButtonLink>
        </div>
      </Gate>
    );
  }
  if (isSet) {
    return (
      <Gate>
        <h1 className={s.title}>{sessionTexts.isSet}</h1>
        <div className={s.stack}>
          <p role="status">{sessionTexts.isSetWhy}</p>
          <ButtonLink to={home}>{sessionTexts.enter}</ButtonLink>
        </div>
      </Gate>
    );
  }
  return (
    <Gate>
      <h1 className={s.title}>{sessionTexts.choose}</h1>
      <PasswordForm token={token} set={() => setIsSet(true)} />
    </Gate>
  );
}

function PasswordForm({ token, set }: { token: string; set: () => void }) {
  const form = useForm({ resolver: zodResolver(schema), defaultValues: { password: '', again: '' } });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async ({ password }) => {
    try {
      await done(api.POST('/api/staff/password/', { body: { token, password } }));
      set();
    } catch (failure) {
      if (isGuessable(failure)) form.setError('password', { message: sessionTexts.guessable });
      else form.setError('root', { message: words(failure) });
    }
  });
  return (
    <form onSubmit={submit} className={s.stack} noValidate>
      <NewPassword form={form} name="password" />
      <p role="alert" className={s.error}>
        {errors.root?.message}
      </p>
      <Button type="submit" aria-disabled={isSubmitting}>
        {isSubmitting ? sessionTexts.setting : sessionTexts.set}
      </Button>
    </form>
  );
}
