import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Button } from '../../src/design/button';
import { Field } from '../../src/design/field';
import { post, words } from '../api/client';
import type { Enrolment, Me, SignInAnswer } from '../api/types';
import { Gate } from '../frame';
import { whoIs } from '../me';
import { usePage } from '../page';
import x from '../parts/text.module.css';
import s from './session.module.css';

const Qr = lazy(() => import('./qr').then(({ Qr }) => ({ default: Qr })));

/** What is asked now: who one is, a code, or to enrol an authenticator first. */
type Step = { ask: 'password' } | { ask: 'code' } | { ask: 'enrol'; enrolment: Enrolment };

/** Signs in at the address one wanted to see; that screen stands there afterwards. */
export function SignIn() {
  const client = useQueryClient();
  const { name } = usePage();
  const [step, setStep] = useState<Step>({ ask: 'password' });
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const [codes, setCodes] = useState<{ me: Me; codes: string[] }>();
  const title = useRef<HTMLHeadingElement>(null);
  const shown = codes ? 'recovery' : step.ask;
  const first = useRef(true);

  useEffect(() => {
    document.title = `Sign in — ${name}`;
  }, [name]);
  // A new step begins at its title, so that a screen reader tells what is asked.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the step is the cause
  useEffect(() => {
    if (first.current) first.current = false;
    else title.current?.focus();
  }, [shown]);

  const enter = (me: Me) => {
    // What the one before saw is not for this one.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
    client.setQueryData(whoIs().queryKey, me);
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError('');
    try {
      const answer = await post<SignInAnswer>('/api/staff/session', {
        email,
        password,
        ...(step.ask === 'password' ? {} : { code: code.replaceAll(' ', '') }),
      });
      if ('next' in answer) {
        setCode('');
        setStep(answer.enrolment ? { ask: 'enrol', enrolment: answer.enrolment } : { ask: 'code' });
      } else if (answer.recovery_codes?.length) {
        setCodes({ me: answer, codes: answer.recovery_codes });
      } else {
        enter(answer);
      }
    } catch (failure) {
      setError(words(failure));
    } finally {
      setBusy(false);
    }
  };

  if (codes) {
    return (
      <Gate>
        <h1 ref={title} tabIndex={-1} className={s.title}>
          Save your recovery codes
        </h1>
        <div className={s.stack}>
          <p>
            Each lets you in once without the authenticator, when the phone is lost. They are shown only now:
            keep them where you keep passwords.
          </p>
          <ul className={s.codes} aria-label="Recovery codes">
            {codes.codes.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
          <Button kind="soft" onClick={() => navigator.clipboard?.writeText(codes.codes.join('\n'))}>
            Copy all
          </Button>
          <Button onClick={() => enter(codes.me)}>I have saved them</Button>
        </div>
      </Gate>
    );
  }

  const back = () => {
    setStep({ ask: 'password' });
    setPassword('');
    setCode('');
    setError('');
  };

  return (
    <Gate>
      <h1 ref={title} tabIndex={-1} className={s.title}>
        {{ password: 'Sign in', code: 'Enter the code', enrol: 'Set up your authenticator' }[step.ask]}
      </h1>
      <form onSubmit={submit} className={s.stack} noValidate>
        {step.ask === 'password' ? (
          <>
            <Field label="E-mail" required>
              {(tied) => (
                <input
                  {...tied}
                  type="email"
                  name="email"
                  autoComplete="username"
                  value={email}
                  onChange={(event) => setEmail(event.target.value)}
                />
              )}
            </Field>
            <Field label="Password" required>
              {(tied) => (
                <input
                  {...tied}
                  type="password"
                  name="password"
                  autoComplete="current-password"
                  value={password}
                  onChange={(event) => setPassword(event.target.value)}
                />
              )}
            </Field>
          </>
        ) : null}
        {step.ask === 'enrol' ? (
          <>
            <p>
              Scan this with an authenticator app, or type the key into it. Then enter the code that it shows.
            </p>
            <Suspense fallback={<span className={s.qr} />}>
              <Qr text={step.enrolment.uri} />
            </Suspense>
            <p className={s.secret}>
              <span>Key</span>{' '}
              <code className={x.mono}>{step.enrolment.secret.match(/.{1,4}/g)?.join(' ')}</code>
            </p>
            <p>
              <a href={step.enrolment.uri}>Open the authenticator on this device</a>
            </p>
          </>
        ) : null}
        {step.ask === 'code' ? (
          <p>Open your authenticator, or use one of your recovery codes if the phone is lost.</p>
        ) : null}
        {step.ask !== 'password' ? (
          <Field label={step.ask === 'code' ? 'Code or recovery code' : 'Code of six digits'} required>
            {(tied) => (
              <input
                {...tied}
                name="code"
                inputMode={step.ask === 'enrol' ? 'numeric' : 'text'}
                autoComplete="one-time-code"
                autoCapitalize="off"
                spellCheck={false}
                value={code}
                onChange={(event) => setCode(event.target.value)}
              />
            )}
          </Field>
        ) : null}
        <p role="alert" className={s.error}>
          {error}
        </p>
        <Button type="submit" aria-disabled={busy}>
          {busy ? 'Checking…' : step.ask === 'password' ? 'Continue' : 'Sign in'}
        </Button>
        {step.ask !== 'password' ? (
          <Button kind="soft" onClick={back}>
            Another account
          </Button>
        ) : null}
      </form>
    </Gate>
  );
}
