import { zodResolver } from '@hookform/resolvers/zod';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Problem } from '../../../kit/api/problem';
import { Button } from '../../../kit/design/button';
import { Dialog } from '../../../kit/design/dialog';
import { FormField } from '../../../kit/form/form-field';
import { frameTexts } from '../../texts/ru';
import { changes, type Invitation, type Role, refusal, useChange } from './queries';
import s from './staff.module.css';
import { teamTexts as w } from './texts/ru';

const roles = Object.keys(frameTexts.roles) as [Role, ...Role[]];

const schema = z.object({
  email: z.string().check(z.trim(), z.email({ error: () => w.badEmail })),
  role: z.enum(roles),
});

/** Asks for an e-mail and a role, and hands over the account with its link. */
export function Invite({
  open,
  close,
  invited,
}: {
  open: boolean;
  close: () => void;
  invited: (one: Invitation) => void;
}) {
  const id = useId();
  return (
    <Dialog open={open} onClose={close} labelledBy={`${id}-title`} describedBy={`${id}-text`}>
      {open ? (
        <div className={s.sheet}>
          <h2 id={`${id}-title`} className={s.title}>
            {w.inviteTitle}
          </h2>
          <p id={`${id}-text`}>{w.inviteWhy}</p>
          <InviteForm close={close} invited={invited} />
        </div>
      ) : null}
    </Dialog>
  );
}

function InviteForm({ close, invited }: { close: () => void; invited: (one: Invitation) => void }) {
  const change = useChange();
  const form = useForm({
    resolver: zodResolver(schema),
    defaultValues: { email: '', role: 'support' as Role },
  });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async (chosen) => {
    try {
      invited((await change.mutateAsync(() => changes.invite(chosen))) as Invitation);
    } catch (failure) {
      const taken = failure instanceof Problem && failure.fields.email !== undefined;
      form.setError(
        taken ? 'email' : 'root',
        { message: taken ? w.refusedEmail : refusal(failure) },
        { shouldFocus: true },
      );
    }
  });
  return (
    <form noValidate className={s.sheet} onSubmit={submit}>
      <FormField form={form} name="email" label={w.email}>
        {(input) => <input {...input} data-first type="email" autoComplete="off" maxLength={254} />}
      </FormField>
      <FormField form={form} name="role" label={w.role}>
        {(input) => (
          <select {...input}>
            {roles.map((role) => (
              <option key={role} value={role}>
                {frameTexts.roles[role]}
              </option>
            ))}
          </select>
        )}
      </FormField>
      <p role="alert" className={s.error}>
        {errors.root?.message}
      </p>
      <Button type="submit" aria-disabled={isSubmitting}>
        {w.invite}
      </Button>
      <Button kind="soft" onClick={close}>
        {w.close}
      </Button>
    </form>
  );
}
