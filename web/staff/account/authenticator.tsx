import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Button } from '../../kit/design/button';
import { FormField } from '../../kit/form/form-field';
import { words } from '../api/client';
import { Section } from '../parts/parts';
import { EnrolmentCode } from '../session/enrolment';
import { ownTexts, sessionTexts } from '../texts/ru';
import s from './account.module.css';
import { useConfirmAuthenticator, useNextAuthenticator } from './own-queries';

const needed = () => z.string().check(z.trim(), z.minLength(1, { error: () => ownTexts.needed }));

type Enrolment = { uri: string; secret: string };

/** Another authenticator in place of the present one: first the password and a code, then a code of the other. */
export function Authenticator() {
  const [enrolment, setEnrolment] = useState<Enrolment>();
  const [replaced, setReplaced] = useState(false);
  return (
    <Section title={ownTexts.authenticator}>
      {enrolment ? (
        <Confirmation
          enrolment={enrolment}
          confirmed={() => {
            setEnrolment(undefined);
            setReplaced(true);
          }}
        />
      ) : (
        <Request
          prepared={(next) => {
            setReplaced(false);
            setEnrolment(next);
          }}
        />
      )}
      <p role="status">{replaced ? ownTexts.replaced : ''}</p>
    </Section>
  );
}

const requestSchema = z.object({
  password: z.string().check(z.minLength(1, { error: () => ownTexts.needed })),
  code: needed(),
});

function Request({ prepared }: { prepared: (enrolment: Enrolment) => void }) {
  const next = useNextAuthenticator();
  const form = useForm({ resolver: zodResolver(requestSchema), defaultValues: { password: '', code: '' } });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async (given) => {
    try {
      prepared(await next.mutateAsync(given));
    } catch (failure) {
      form.setError('root', { message: words(failure) });
    }
  });
  return (
    <form noValidate className={s.form} onSubmit={submit}>
      <p>{ownTexts.authenticatorWhy}</p>
      <FormField form={form} name="password" label={ownTexts.currentPassword}>
        {(input) => <input {...input} type="password" autoComplete="current-password" />}
      </FormField>
      <FormField form={form} name="code" label={sessionTexts.codeOrRecovery}>
        {(input) => <input {...input} autoComplete="one-time-code" autoCapitalize="off" spellCheck={false} />}
      </FormField>
      <p role="alert" className={s.error}>
        {errors.root?.message}
      </p>
      <Button kind="soft" type="submit" aria-disabled={isSubmitting}>
        {isSubmitting ? sessionTexts.checking : ownTexts.replace}
      </Button>
    </form>
  );
}

const codeSchema = z.object({ code: needed() });

function Confirmation({ enrolment, confirmed }: { enrolment: Enrolment; confirmed: () => void }) {
  const confirm = useConfirmAuthenticator();
  const form = useForm({ resolver: zodResolver(codeSchema), defaultValues: { code: '' } });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async ({ code }) => {
    try {
      await confirm.mutateAsync(code);
      confirmed();
    } catch (failure) {
      form.setError('root', { message: words(failure) });
    }
  });
  return (
    <form noValidate className={s.form} onSubmit={submit}>
      <EnrolmentCode enrolment={enrolment} />
      <FormField form={form} name="code" label={sessionTexts.sixDigits}>
        {(input) => <input {...input} inputMode="numeric" autoComplete="one-time-code" />}
      </FormField>
      <p role="alert" className={s.error}>
        {errors.root?.message}
      </p>
      <Button type="submit" aria-disabled={isSubmitting}>
        {isSubmitting ? sessionTexts.checking : ownTexts.confirmNew}
      </Button>
    </form>
  );
}
