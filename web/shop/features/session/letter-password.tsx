import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { Button } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import { useNavigate } from '../../../kit/router/router';
import { formTexts } from '../../texts/form';
import { resetTexts } from '../../texts/session';
import { afterFrame } from '../form/after-frame';
import { showRefusal } from '../form/refusal';
import { PasswordField } from '../form/text-field';
import s from './entry.module.css';
import { isBadLink } from './letter-page';
import { leadingTo } from './next';
import { type NewPassword, newPasswordSchema } from './session-schema';

type Props = {
  lead: string;
  submit: string;
  send: (passwords: NewPassword) => Promise<unknown>;
  onBadLink: () => void;
};

/** Asks who answers a letter for the password that the account shall have, and leads to the sign-in. */
export function LetterPassword({ lead, submit, send, onBadLink }: Props) {
  const navigate = useNavigate();
  const form = useForm<NewPassword>({
    defaultValues: { new_password: '', password: '' },
    resolver: zodResolver(newPasswordSchema),
  });
  const { errors, isSubmitting, submitCount } = form.formState;
  const submitAll = form.handleSubmit(async (passwords) => {
    try {
      await send(passwords);
      navigate(leadingTo('/login', '/account/info'), { state: { passwordChanged: true } });
    } catch (error) {
      if (isBadLink(error)) onBadLink();
      else showRefusal(form, error);
    }
  });
  return (
    <form noValidate className={s.form} onSubmit={afterFrame(submitAll)}>
      <p className={s.lead}>{lead}</p>
      <PasswordField
        form={form}
        name="new_password"
        label={resetTexts.password}
        hint={resetTexts.passwordHint}
        autoComplete="new-password"
      />
      <PasswordField
        form={form}
        name="password"
        label={resetTexts.passwordAgain}
        autoComplete="new-password"
      />
      <FormError attempt={submitCount}>{errors.root}</FormError>
      <Button type="submit" disabled={isSubmitting}>
        {isSubmitting ? formTexts.sending : submit}
      </Button>
    </form>
  );
}
