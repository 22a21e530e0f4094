import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { Button } from '../../../kit/design/button';
import { Checkbox } from '../../../kit/design/checkbox';
import { FormError } from '../../../kit/design/field';
import { Link } from '../../../kit/design/link';
import { formTexts } from '../../texts/form';
import { registrationTexts } from '../../texts/session';
import { contentQueries } from '../content/content-queries';
import { afterFrame } from '../form/after-frame';
import { showRefusal } from '../form/refusal';
import { PasswordField, PhoneField, TextField } from '../form/text-field';
import s from './entry.module.css';
import { leadingTo, useNext } from './next';
import { useRegister } from './session-commands';
import { type RegistrationForm as Fields, registrationSchema } from './session-schema';

const t = registrationTexts;

export function RegistrationForm() {
  const id = useId();
  const next = useNext();
  const privacy = useQuery(contentQueries.shop()).data?.privacy_url;
  const register = useRegister();
  // Without default values the form keeps what was typed before hydration; only the phone has one.
  const form = useForm<Fields>({ defaultValues: { phone: '' }, resolver: zodResolver(registrationSchema) });
  const { errors, isSubmitting, submitCount } = form.formState;
  const submit = form.handleSubmit(async (values) => {
    try {
      await register.mutateAsync(values);
    } catch (error) {
      showRefusal(form, error);
    }
  });
  return (
    <>
      <form noValidate className={s.form} onSubmit={afterFrame(submit)}>
        <div className={s.two}>
          <TextField form={form} name="first_name" label={t.firstName} autoComplete="given-name" />
          <TextField form={form} name="last_name" label={t.lastName} autoComplete="family-name" />
        </div>
        <PhoneField form={form} name="phone" label={t.phone} />
        <TextField
          form={form}
          name="email"
          label={t.email}
          type="email"
          inputMode="email"
          autoComplete="email"
          autoCapitalize="none"
          maxLength={254}
        />
        <div className={s.two}>
          <PasswordField
            form={form}
            name="password"
            label={t.password}
            hint={t.passwordHint}
            autoComplete="new-password"
          />
          <PasswordField
            form={form}
            name="password_check"
            label={t.passwordAgain}
            autoComplete="new-password"
          />
        </div>
        <div className={s.consent}>
          <Checkbox
            label={t.consentBefore}
            aria-invalid={Boolean(errors.consent)}
            aria-describedby={`${id}-consent`}
            {...form.register('consent')}
          />
          {privacy ? <a href={privacy}>{t.consentLink}</a> : null}
          <span id={`${id}-consent`}>
            <FormError attempt={submitCount}>{errors.consent}</FormError>
          </span>
        </div>
        <FormError attempt={submitCount}>{errors.root}</FormError>
        <Button type="submit" disabled={isSubmitting}>
          {isSubmitting ? formTexts.sending : t.submit}
        </Button>
      </form>
      <p className={s.links}>
        <span>
          {t.known} <Link to={leadingTo('/login', next)}>{t.login}</Link>
        </span>
      </p>
    </>
  );
}
