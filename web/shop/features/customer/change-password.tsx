import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Button } from '../../../kit/design/button';
import { Fieldset, FormError } from '../../../kit/design/field';
import { securityTexts } from '../../texts/account';
import { formTexts } from '../../texts/form';
import { afterFrame } from '../form/after-frame';
import { showRefusal } from '../form/refusal';
import { differs, newPassword, password } from '../form/rules';
import { PasswordField } from '../form/text-field';
import s from './security.module.css';
import { useChangePassword } from './session-queries';

const t = securityTexts;

/** The names are the server's: password repeats new_password. */
const schema = z
  .object({ current_password: password(), new_password: newPassword(), password: password() })
  .check(z.refine((form) => form.new_password === form.password, differs('password')));

const empty = { current_password: '', new_password: '', password: '' };

/** Another password, by the present one. Whoever is signed in elsewhere has to sign in again. */
export function ChangePassword() {
  const change = useChangePassword();
  const [changed, setChanged] = useState(false);
  const form = useForm({ defaultValues: empty, resolver: zodResolver(schema) });
  const { errors, isSubmitting, submitCount } = form.formState;
  const submit = form.handleSubmit(async (values) => {
    setChanged(false);
    try {
      await change.mutateAsync(values);
      form.reset(empty);
      setChanged(true);
    } catch (error) {
      showRefusal(form, error);
    }
  });
  return (
    <form noValidate className={s.form} onSubmit={afterFrame(submit)} onChange={() => setChanged(false)}>
      <Fieldset legend={t.password}>
        <p>{t.passwordText}</p>
        <PasswordField
          form={form}
          name="current_password"
          label={t.current}
          autoComplete="current-password"
        />
        <PasswordField
          form={form}
          name="new_password"
          label={t.next}
          hint={t.nextHint}
          autoComplete="new-password"
        />
        <PasswordField form={form} name="password" label={t.again} autoComplete="new-password" />
      </Fieldset>
      <FormError attempt={submitCount}>{errors.root}</FormError>
      <div className={s.row}>
        <Button type="submit" disabled={isSubmitting}>
          {isSubmitting ? formTexts.sending : t.change}
        </Button>
        <p role="status">{changed ? t.changed : ''}</p>
      </div>
    </form>
  );
}
