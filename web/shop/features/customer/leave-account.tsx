import { zodResolver } from '@hookform/resolvers/zod';
import { useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Button } from '../../../kit/design/button';
import { Dialog } from '../../../kit/design/dialog';
import { FormError } from '../../../kit/design/field';
import { profileTexts } from '../../texts/account';
import { formTexts } from '../../texts/form';
import { showRefusal } from '../form/refusal';
import { password } from '../form/rules';
import { PasswordField } from '../form/text-field';
import { useLeave } from './customer-commands';
import s from './own-data.module.css';

const t = profileTexts;
const schema = z.object({ password: password() });

/** The way to close the account: what goes and what stays is said first, and the password is asked for. */
export function LeaveAccount() {
  const id = useId();
  const [open, setOpen] = useState(false);
  const leave = useLeave();
  const form = useForm({ defaultValues: { password: '' }, resolver: zodResolver(schema) });
  const { errors, isSubmitting, submitCount } = form.formState;
  const submit = form.handleSubmit(async ({ password }) => {
    try {
      await leave.mutateAsync(password);
    } catch (error) {
      showRefusal(form, error);
    }
  });
  const close = () => {
    setOpen(false);
    form.reset();
  };
  return (
    <>
      <button type="button" className={s.leave} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {t.leave}
      </button>
      <Dialog open={open} onClose={close} labelledBy={`${id}-title`} describedBy={`${id}-text`}>
        <form noValidate className={s.dialog} onSubmit={submit}>
          <h2 id={`${id}-title`}>{t.leaveTitle}</h2>
          <ul id={`${id}-text`}>
            <li>{t.leaveGoes}</li>
            <li>{t.leaveStays}</li>
            <li>{t.leaveFirst}</li>
          </ul>
          <PasswordField form={form} name="password" label={t.password} autoComplete="current-password" />
          <FormError attempt={submitCount}>{errors.root}</FormError>
          <div className={s.row}>
            <Button kind="line" data-close="">
              {t.stay}
            </Button>
            <Button type="submit" disabled={isSubmitting}>
              {isSubmitting ? formTexts.sending : t.leaveYes}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
