import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { Problem } from '../../../kit/api/problem';
import { Button } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import { Link } from '../../../kit/design/link';
import { useLocation } from '../../../kit/router/router';
import { formTexts } from '../../texts/form';
import { loginTexts } from '../../texts/session';
import { afterFrame } from '../form/after-frame';
import { showRefusal } from '../form/refusal';
import { PasswordField, TextField } from '../form/text-field';
import s from './entry.module.css';
import { leadingTo, useNext } from './next';
import { PasskeySignIn } from './passkey-sign-in';
import { useSignIn } from './session-commands';
import { type Login, loginSchema } from './session-schema';

const t = loginTexts;

export function LoginForm() {
  const next = useNext();
  const { state } = useLocation();
  const signIn = useSignIn();
  // Without default values the form keeps what was typed before hydration.
  const form = useForm<Login>({ resolver: zodResolver(loginSchema) });
  const { formState } = form;
  const submit = form.handleSubmit(async (login) => {
    // The token of a page counts together with the browser's cookie.
    if (!navigator.cookieEnabled) return form.setError('root', { message: t.noCookies });
    try {
      await signIn.mutateAsync(login);
    } catch (error) {
      showRefusal(form, error);
      // The server does not say which of the two is wrong.
      if (error instanceof Problem && error.status === 401) {
        form.setError('username', { type: 'server' });
        form.setError('password', { type: 'server' }, { shouldFocus: true });
      }
    }
  });
  return (
    <>
      {state?.passwordChanged ? (
        <p className={s.notice} role="status">
          {t.passwordChanged}
        </p>
      ) : null}
      <form noValidate className={s.form} onSubmit={afterFrame(submit)}>
        <TextField
          form={form}
          name="username"
          label={t.email}
          type="email"
          inputMode="email"
          autoComplete="username"
          autoCapitalize="none"
          maxLength={254}
        />
        <PasswordField form={form} name="password" label={t.password} autoComplete="current-password" />
        <FormError attempt={formState.submitCount}>{formState.errors.root}</FormError>
        <Button type="submit" disabled={formState.isSubmitting}>
          {formState.isSubmitting ? formTexts.sending : t.submit}
        </Button>
      </form>
      <PasskeySignIn />
      <p className={s.links}>
        <span>
          {t.newHere} <Link to={leadingTo('/registration', next)}>{t.register}</Link>
        </span>
        <Link to={leadingTo('/reset-password', next)}>{t.forgot}</Link>
      </p>
    </>
  );
}
