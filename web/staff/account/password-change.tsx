import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Problem } from '../../kit/api/problem';
import { Button } from '../../kit/design/button';
import { FormField } from '../../kit/form/form-field';
import { words } from '../api/client';
import { NewPassword, newPassword, sameAgain } from '../parts/new-password';
import { Section } from '../parts/parts';
import { ownTexts, sessionTexts } from '../texts/ru';
import s from './account.module.css';
import { useChangePassword } from './own-queries';

const needed = () => z.string().check(z.minLength(1, { error: () => ownTexts.needed }));

const schema = z
  .object({
    current_password: needed(),
    new_password: newPassword(),
    again: z.string(),
  })
  .check(sameAgain(({ new_password }) => new_password));

const empty = { current_password: '', new_password: '', again: '' };

/** Another password, by the present one. */
export function PasswordChange() {
  const change = useChangePassword();
  const [changed, setChanged] = useState(false);
  const form = useForm({ resolver: zodResolver(schema), defaultValues: empty });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async ({ current_password, new_password }) => {
    setChanged(false);
    try {
      await change.mutateAsync({ current_password, new_password });
      form.reset(empty);
      setChanged(true);
    } catch (failure) {
      const fields = failure instanceof Problem ? failure.fields : {};
      const wrong = (['current_password', 'new_password'] as const).find((name) => fields[name]);
      form.setError(
        wrong ?? 'root',
        { message: wrong ? fields[wrong] : words(failure) },
        { shouldFocus: true },
      );
    }
  });
  return (
    <Section title={ownTexts.password}>
      <form noValidate className={s.form} onSubmit={submit}>
        <p>{ownTexts.passwordWhy}</p>
        <FormField form={form} name="current_password" label={ownTexts.currentPassword}>
          {(input) => <input {...input} type="password" autoComplete="current-password" />}
        </FormField>
        <NewPassword form={form} name="new_password" />
        <p role="alert" className={s.error}>
          {errors.root?.message}
        </p>
        <Button type="submit" aria-disabled={isSubmitting}>
          {isSubmitting ? sessionTexts.setting : ownTexts.change}
        </Button>
        <p role="status">{changed ? sessionTexts.isSet : ''}</p>
      </form>
    </Section>
  );
}
