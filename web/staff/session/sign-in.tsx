import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { answer } from '../../kit/api/answer';
import { Button } from '../../kit/design/button';
import { FormField } from '../../kit/form/form-field';
import { askPasskey } from '../../kit/passkey';
import { api, words } from '../api/client';
import type { Enrolment, Me } from '../api/types';
import { Gate } from '../frame';
import { whoIs } from '../me';
import { useSection } from '../sections';
import { ownTexts, sessionTexts } from '../texts/ru';
import { Codes } from './codes';
import { EnrolmentCode } from './enrolment';
import { PasskeyButton } from './passkey-button';
import s from './session.module.css';

/** The step of signing in: password, code, or enrolling an authenticator. */
type Step = { ask: 'password' } | { ask: 'code' } | { ask: 'enrol'; enrolment: Enrolment };

/** The first sign-in ends with recovery codes, which are shown once. */
type Entered = { me: Me; codes: string[] };

const schema = z.object({ email: z.string(), password: z.string(), code: z.string() });
type Form = UseFormReturn<z.infer<typeof schema>>;

/** Signs in at the address one wanted to see; that screen stands there afterwards. */
export function SignIn() {
  const client = useQueryClient();
  const name = useSection().name();
  const [step, setStep] = useState<Step>({ ask: 'password' });
  const [entered, setEntered] = useState<Entered>();
  const title = useTitleFocus(entered ? 'recovery' : step.ask);

  useEffect(() => {
    document.title = `${sessionTexts.signIn} — ${name}`;
  }, [name]);

  const enter = (me: Me) => {
    // The cache may hold data that only the previous account may see.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
    client.setQueryData(whoIs().queryKey, me);
  };

  return (
    <Gate>
      {entered ? (
        <RecoveryCodes title={title} codes={entered.codes} saved={() => enter(entered.me)} />
      ) : (
        <>
          <h1 ref={title} tabIndex={-1} className={s.title}>
            {
              {
                password: sessionTexts.signIn,
                code: sessionTexts.enterCode,
                enrol: sessionTexts.setUp,
              }[step.ask]
            }
          </h1>
          <SignInForm
            step={step}
            ask={setStep}
            entered={(me, codes) => (codes.length > 0 ? setEntered({ me, codes }) : enter(me))}
          />
          {step.ask === 'password' ? (
            <PasskeyButton
              label={ownTexts.passkeySignIn}
              use={async () => {
                const options = await answer(api.POST('/api/staff/session/passkey/options/'));
                const credential = await askPasskey(options);
                enter(await answer(api.POST('/api/staff/session/passkey/', { body: { credential } })));
              }}
            />
          ) : null}
        </>
      )}
    </Gate>
  );
}

/** A new step begins at its title, so that a screen reader tells what is asked. */
function useTitleFocus(step: string): RefObject<HTMLHeadingElement | null> {
  const title = useRef<HTMLHeadingElement>(null);
  const before = useRef(step);
  useEffect(() => {
    if (before.current === step) return;
    before.current = step;
    title.current?.focus();
  }, [step]);
  return title;
}

function SignInForm({
  step,
  ask,
  entered,
}: {
  step: Step;
  ask: (step: Step) => void;
  entered: (me: Me, codes: string[]) => void;
}) {
  const form: Form = useForm({
    resolver: zodResolver(schema),
    defaultValues: { email: '', password: '', code: '' },
  });
  const { errors, isSubmitting } = form.formState;
  const first = step.ask === 'password';
  const submit = form.handleSubmit(async ({ email, password, code }) => {
    try {
      const said = await answer(
        api.POST('/api/staff/session/', {
          body: { email, password, ...(first ? {} : { code: code.replaceAll(' ', '') }) },
        }),
      );
      if ('next' in said) {
        form.setValue('code', '');
        ask(said.enrolment ? { ask: 'enrol', enrolment: said.enrolment } : { ask: 'code' });
      } else entered(said, said.recovery_codes ?? []);
    } catch (failure) {
      form.setError('root', { message: words(failure) });
    }
  });
  const back = () => {
    form.reset({ email: form.getValues('email'), password: '', code: '' });
    ask({ ask: 'password' });
  };
  return (
    <form onSubmit={submit} className={s.stack} noValidate>
      {first ? <Credentials form={form} /> : null}
      {step.ask === 'enrol' ? <EnrolmentCode enrolment={step.enrolment} /> : null}
      {step.ask === 'code' ? <p>{sessionTexts.openYours}</p> : null}
      {first ? null : <Code form={form} enrols={step.ask === 'enrol'} />}
      <p role="alert" className={s.error}>
        {errors.root?.message}
      </p>
      <Button type="submit" aria-disabled={isSubmitting}>
        {isSubmitting ? sessionTexts.checking : first ? sessionTexts.goOn : sessionTexts.enter}
      </Button>
      {first ? null : (
        <Button kind="soft" onClick={back}>
          {sessionTexts.other}
        </Button>
      )}
    </form>
  );
}

function Credentials({ form }: { form: Form }) {
  return (
    <>
      <FormField form={form} name="email" label={sessionTexts.email}>
        {(input) => <input {...input} type="email" autoComplete="username" />}
      </FormField>
      <FormField form={form} name="password" label={sessionTexts.password}>
        {(input) => <input {...input} type="password" autoComplete="current-password" />}
      </FormField>
    </>
  );
}

function Code({ form, enrols }: { form: Form; enrols: boolean }) {
  return (
    <FormField form={form} name="code" label={enrols ? sessionTexts.sixDigits : sessionTexts.codeOrRecovery}>
      {(input) => (
        <input
          {...input}
          inputMode={enrols ? 'numeric' : 'text'}
          autoComplete="one-time-code"
          autoCapitalize="off"
          spellCheck={false}
        />
      )}
    </FormField>
  );
}

function RecoveryCodes({
  title,
  codes,
  saved,
}: {
  title: RefObject<HTMLHeadingElement | null>;
  codes: string[];
  saved: () => void;
}) {
  return (
    <>
      <h1 ref={title} tabIndex={-1} className={s.title}>
        {sessionTexts.saveCodes}
      </h1>
      <div className={s.stack}>
        <p>{sessionTexts.saveCodesWhy}</p>
        <Codes codes={codes} />
        <Button onClick={saved}>{sessionTexts.saved}</Button>
      </div>
    </>
  );
}
