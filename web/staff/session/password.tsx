import { type FormEvent, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { Button, ButtonLink } from '../../src/design/button';
import { Field } from '../../src/design/field';
import { post, words } from '../api/client';
import { Gate } from '../frame';
import { usePage } from '../page';
import s from './session.module.css';

const least = 12;

/** Where a one-time link leads: its token stands behind the #, which no server sees, and leaves the address at once. */
export function Password() {
  const navigate = useNavigate();
  const { name, home } = usePage();
  const { hash } = useLocation();
  const [token] = useState(() => hash.slice(1));
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [errors, setErrors] = useState<{ password?: string; again?: string; form?: string }>({});
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);

  useEffect(() => {
    document.title = `Choose a password — ${name}`;
    if (hash) navigate(`${home}/password`, { replace: true });
  }, [hash, navigate, name, home]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const found = {
      password: password.length < least ? `At least ${least} characters.` : undefined,
      again: password === again ? undefined : 'The two differ.',
    };
    setErrors(found);
    if (found.password || found.again) return;
    setBusy(true);
    try {
      await post('/api/staff/password', { token, password });
      setDone(true);
    } catch (failure) {
      setErrors({ form: words(failure) });
    } finally {
      setBusy(false);
    }
  };

  if (!token) {
    return (
      <Gate>
        <h1 className={s.title}>The link is incomplete</h1>
        <div className={s.stack}>
          <p>
            Open the whole link that you were given, up to its last character, or ask an admin for another.
          </p>
          <ButtonLink to={home}>To the sign-in</ButtonLink>
        </div>
      </Gate>
    );
  }
  if (done) {
    return (
      <Gate>
        <h1 className={s.title}>The password is set</h1>
        <div className={s.stack}>
          <p role="status">Sign in with it now. At the first time you also set up an authenticator.</p>
          <ButtonLink to={home}>Sign in</ButtonLink>
        </div>
      </Gate>
    );
  }
  return (
    <Gate>
      <h1 className={s.title}>Choose a password</h1>
      <form onSubmit={submit} className={s.stack} noValidate>
        <Field
          label="New password"
          required
          hint={`At least ${least} characters. A few words are good.`}
          error={errors.password}
        >
          {(tied) => (
            <input
              {...tied}
              type="password"
              autoComplete="new-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <Field label="The same again" required error={errors.again}>
          {(tied) => (
            <input
              {...tied}
              type="password"
              autoComplete="new-password"
              value={again}
              onChange={(event) => setAgain(event.target.value)}
            />
          )}
        </Field>
        <p role="alert" className={s.error}>
          {errors.form}
        </p>
        <Button type="submit" aria-disabled={busy}>
          {busy ? 'Setting…' : 'Set the password'}
        </Button>
      </form>
    </Gate>
  );
}
