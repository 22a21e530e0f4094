import { zodResolver } from '@hookform/resolvers/zod';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { answer, done } from '../../kit/api/answer';
import { Button } from '../../kit/design/button';
import { Dialog } from '../../kit/design/dialog';
import { FormField } from '../../kit/form/form-field';
import { askPasskey } from '../../kit/passkey';
import { api, words } from '../api/client';
import { ownTexts, sessionTexts } from '../texts/ru';
import { PasskeyButton } from './passkey-button';
import s from './session.module.css';
import { endStepUp, useStepUpAsked } from './step-up';

const schema = z.object({
  code: z.string().check(z.trim(), z.minLength(1, { error: () => ownTexts.needed })),
});

/** Asks for the second factor where a request needs it again; what waits for it then goes on. */
export function StepUpDialog() {
  const id = useId();
  const asked = useStepUpAsked();
  return (
    <Dialog
      open={asked}
      onClose={() => endStepUp(false)}
      labelledBy={`${id}-title`}
      describedBy={`${id}-text`}
    >
      {asked ? (
        <>
          <h2 id={`${id}-title`} className={s.title}>
            {ownTexts.confirm}
          </h2>
          <p id={`${id}-text`} className={s.why}>
            {ownTexts.confirmWhy}
          </p>
          <StepUpForm />
          <PasskeyButton
            label={ownTexts.passkeyConfirm}
            use={async () => {
              const options = await answer(api.POST('/api/staff/me/step-up/passkey/options/'));
              const credential = await askPasskey(options);
              await done(api.POST('/api/staff/me/step-up/passkey/', { body: { credential } }));
              endStepUp(true);
            }}
          />
        </>
      ) : null}
    </Dialog>
  );
}

function StepUpForm() {
  const form = useForm({ resolver: zodResolver(schema), defaultValues: { code: '' } });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async ({ code }) => {
    try {
      await done(api.POST('/api/staff/me/step-up/', { body: { code } }));
      endStepUp(true);
    } catch (failure) {
      form.resetField('code');
      form.setError('root', { message: words(failure) });
    }
  });
  return (
    <form
      noValidate
      className={s.stack}
      onSubmit={(event) => {
        // The dialog may stand within another form.
        event.stopPropagation();
        return submit(event);
      }}
    >
      <FormField form={form} name="code" label={sessionTexts.codeOrRecovery}>
        {(input) => (
          <input
            {...input}
            data-first
            autoComplete="one-time-code"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={40}
          />
        )}
      </FormField>
      <p role="alert" className={s.error}>
        {errors.root?.message}
      </p>
      <Button type="submit" aria-disabled={isSubmitting}>
        {isSubmitting ? sessionTexts.checking : ownTexts.goOn}
      </Button>
      <Button kind="soft" onClick={() => endStepUp(false)}>
        {ownTexts.leave}
      </Button>
    </form>
  );
}
