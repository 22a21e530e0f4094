import { type ComponentProps, useState } from 'react';
import { Controller, type FieldPath, type FieldValues, type UseFormReturn } from 'react-hook-form';
import { Field } from '../../../kit/design/field';
import { PhoneInput } from '../../design/phone-input';
import { formTexts } from '../../texts/form';
import s from './text-field.module.css';

type InForm<F extends FieldValues, V> = {
  form: UseFormReturn<F, unknown, V>;
  name: FieldPath<F>;
  label: string;
  hint?: string;
  above?: boolean;
};

/** What a field says of its error, which leaves sight two seconds after the form was sent. */
function said<F extends FieldValues, V>({ form, name, label, hint, above }: InForm<F, V>) {
  const { error, invalid } = form.getFieldState(name, form.formState);
  return {
    label,
    hint,
    above,
    required: true,
    error,
    invalid,
    attempt: form.formState.submitCount,
  };
}

/** A line of text that a form needs. */
export function TextField<F extends FieldValues, V>({
  form,
  name,
  label,
  hint,
  above,
  ...rest
}: InForm<F, V> & Omit<ComponentProps<'input'>, 'form' | 'name'>) {
  return (
    <Field {...said({ form, name, label, hint, above })}>
      {(tied) => <input maxLength={200} {...tied} {...rest} {...form.register(name)} />}
    </Field>
  );
}

/** A password, which may be looked at while one types it. */
export function PasswordField<F extends FieldValues, V>({
  autoComplete,
  ...rest
}: InForm<F, V> & { autoComplete: 'current-password' | 'new-password' }) {
  const [open, setOpen] = useState(false);
  return (
    <Field {...said(rest)}>
      {(tied) => (
        <span className={s.password}>
          <input
            {...tied}
            type={open ? 'text' : 'password'}
            autoComplete={autoComplete}
            autoCapitalize="none"
            spellCheck={false}
            maxLength={256}
            {...rest.form.register(rest.name)}
          />
          <button
            type="button"
            className={s.look}
            aria-pressed={open}
            aria-label={formTexts.showPassword(rest.label)}
            onClick={() => setOpen(!open)}
          >
            {open ? formTexts.hide : formTexts.show}
          </button>
        </span>
      )}
    </Field>
  );
}

/** A Kazakh or Russian number, masked while one types. */
export function PhoneField<F extends FieldValues, V>(field: InForm<F, V>) {
  return (
    <Controller
      name={field.name}
      control={field.form.control}
      render={({ field: input }) => (
        <Field {...said(field)}>
          {(tied) => (
            <PhoneInput
              {...tied}
              name={input.name}
              ref={input.ref}
              value={input.value}
              onValue={input.onChange}
              onBlur={input.onBlur}
              placeholder={formTexts.phonePlaceholder}
            />
          )}
        </Field>
      )}
    />
  );
}
