import type { ReactNode } from 'react';
import type { FieldPath, FieldValues, UseFormRegisterReturn, UseFormReturn } from 'react-hook-form';
import { Field, type Tied } from '../design/field';

/** A field of a form: its label, its input and what is wrong with it, as the form's schema says. */
export function FormField<F extends FieldValues, V>({
  form,
  name,
  label,
  hint,
  required = true,
  children,
}: {
  form: UseFormReturn<F, unknown, V>;
  name: FieldPath<F>;
  label: string;
  hint?: string;
  /** Whether it must be filled in; a field that need not says so beside its label. */
  required?: boolean;
  children: (input: Tied & UseFormRegisterReturn) => ReactNode;
}) {
  const { error } = form.getFieldState(name, form.formState);
  return (
    <Field label={label} hint={hint} required={required} error={error}>
      {(tied) => children({ ...tied, ...form.register(name) })}
    </Field>
  );
}
