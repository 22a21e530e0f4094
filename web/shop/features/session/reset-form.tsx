import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Button } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import { Link } from '../../../kit/design/link';
import { useNavigate } from '../../../kit/router/router';
import { formTexts } from '../../texts/form';
import { resetTexts } from '../../texts/session';
import { afterFrame } from '../form/after-frame';
import { sentence, showRefusal } from '../form/refusal';
import { PasswordField, TextField } from '../form/text-field';
import s from './entry.module.css';
import { leadingTo, useNext } from './next';
import { useCheckCode, useRequestCode, useResetPassword } from './session-commands';
import { type CodeRequest, codeRequestSchema, type Reset, resetSchema } from './session-schema';

const t = resetTexts;

/** Two steps: the e-mail to which a code goes, then the code and the new password. */
export function ResetForm() {
  const next = useNext();
  const [email, setEmail] = useState('');
  const [mailed, setMailed] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  return (
    <>
      {mailed ? (
        <NewPassword
          email={email}
          onBack={(error) => {
            setFailure(error);
            setMailed(false);
          }}
        />
      ) : (
        <Request
          email={email}
          failure={failure}
          onMailed={(to) => {
            setEmail(to);
            setMailed(true);
          }}
        />
      )}
      <p className={s.links}>
        <Link to={leadingTo('/login', next)}>{t.login}</Link>
      </p>
    </>
  );
}

/** Step one; again after a last step that failed, with what the server said of it. */
function Request({
  email,
  failure,
  onMailed,
}: {
  email: string;
  failure: unknown;
  onMailed: (email: string) => void;
}) {
  const request = useRequestCode();
  const form = useForm<CodeRequest>({
    defaultValues: { email: email || undefined }, // no default: the form keeps what was typed before hydration
    resolver: zodResolver(codeRequestSchema),
  });
  const { errors, isSubmitting, submitCount } = form.formState;
  const submit = form.handleSubmit(async (values) => {
    try {
      await request.mutateAsync(values.email);
      onMailed(values.email);
    } catch (error) {
      showRefusal(form, error);
    }
  });
  return (
    <form noValidate className={s.form} onSubmit={afterFrame(submit)}>
      <p className={s.lead}>{t.lead}</p>
      {failure ? <FormError>{sentence(failure)}</FormError> : null}
      <TextField
        form={form}
        name="email"
        label={t.email}
        above
        type="email"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        maxLength={254}
      />
      <FormError attempt={submitCount}>{errors.root}</FormError>
      <Button type="submit" disabled={isSubmitting}>
        {isSubmitting ? formTexts.sending : t.send}
      </Button>
    </form>
  );
}

function NewPassword({ email, onBack }: { email: string; onBack: (failure?: unknown) => void }) {
  const next = useNext();
  const navigate = useNavigate();
  const check = useCheckCode();
  const reset = useResetPassword();
  const form = useForm<Reset>({
    defaultValues: { code: '', new_password: '', password: '' },
    resolver: zodResolver(resetSchema),
  });
  const { errors, isSubmitting, submitCount } = form.formState;
  const submit = form.handleSubmit(async (values) => {
    const renewal = { email, ...values };
    try {
      await check.mutateAsync(renewal);
    } catch (error) {
      return showRefusal(form, error);
    }
    try {
      await reset.mutateAsync(renewal);
      navigate(leadingTo('/login', next), { state: { passwordChanged: true } });
    } catch (error) {
      onBack(error);
    }
  });
  return (
    <form noValidate className={s.form} onSubmit={afterFrame(submit)}>
      <p className={s.notice} role="status">
        {t.sent(email)}
      </p>
      <TextField
        form={form}
        name="code"
        label={t.code}
        above
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        autoFocus
      />
      <PasswordField
        form={form}
        name="new_password"
        label={t.password}
        hint={t.passwordHint}
        above
        autoComplete="new-password"
      />
      <PasswordField form={form} name="password" label={t.passwordAgain} above autoComplete="new-password" />
      <FormError attempt={submitCount}>{errors.root}</FormError>
      <Button type="submit" disabled={isSubmitting}>
        {isSubmitting ? formTexts.sending : t.save}
      </Button>
      <button type="button" className={s.plain} onClick={() => onBack()}>
        {t.otherEmail}
      </button>
    </form>
  );
}
