import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import * as z from 'zod/mini';
import { FormField } from '../../kit/form/form-field';
import { sessionTexts } from '../texts/ru';

const least = 12;

/** A password that is long enough for staff. */
export const newPassword = () =>
  z.string().check(z.minLength(least, { error: () => sessionTexts.atLeast(least) }));

/** Says beside the second field that it differs from the first. Both fields hear what is wrong with them at once. */
export const sameAgain = <F extends { again: string }>(password: (form: F) => string) =>
  z.refine<F>((form) => password(form) === form.again, {
    error: () => sessionTexts.differ,
    path: ['again'],
    when: () => true,
  });

/** A new password, and the same again. */
export function NewPassword<F extends FieldValues & { again: string }, V>({
  form,
  name,
}: {
  form: UseFormReturn<F, unknown, V>;
  name: FieldPath<F>;
}) {
  return (
    <>
      <FormField
        form={form}
        name={name}
        label={sessionTexts.newPassword}
        hint={sessionTexts.atLeastHint(least)}
      >
        {(input) => <input {...input} type="password" autoComplete="new-password" />}
      </FormField>
      <FormField form={form} name={'again' as FieldPath<F>} label={sessionTexts.again}>
        {(input) => <input {...input} type="password" autoComplete="new-password" />}
      </FormField>
    </>
  );
}
