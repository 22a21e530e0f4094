import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Problem } from '../../../kit/api/problem';
import { Button } from '../../../kit/design/button';
import { Dialog } from '../../../kit/design/dialog';
import { FormError } from '../../../kit/design/field';
import { hasPasskeys } from '../../../kit/passkey';
import { useSession } from '../../api/session';
import { formatDate } from '../../design/format';
import { LoadError, Skeleton } from '../../design/state';
import { securityTexts } from '../../texts/account';
import { formTexts } from '../../texts/form';
import { passkeyTexts } from '../../texts/session';
import { sentence, showRefusal } from '../form/refusal';
import { filled, password } from '../form/rules';
import { PasswordField, TextField } from '../form/text-field';
import { passkeyQueries, useAddPasskey, useRemovePasskey } from './passkey-queries';
import s from './security.module.css';

const t = passkeyTexts;

/** The passkeys of the account: each has a name and can be removed. */
export function Passkeys() {
  const list = useQuery(passkeyQueries.list(useSession()));
  const remove = useRemovePasskey();
  const [adding, setAdding] = useState(false);
  return (
    <section className={s.section} aria-labelledby="passkeys">
      <h2 id="passkeys">{t.title}</h2>
      <p>{hasPasskeys() ? t.lead : t.notHere}</p>
      {list.isError ? <LoadError retry={() => list.refetch()} /> : null}
      {list.isPending ? <Skeleton kind="tile" /> : null}
      <ul className={s.list}>
        {list.data?.map(({ id, name, created_at, used_at }) => (
          <li key={id}>
            <div>
              <p className={s.device}>{name}</p>
              <p className={s.place}>
                {t.added(formatDate(created_at))}
                {used_at ? `, ${t.used(formatDate(used_at))}` : ''}
              </p>
            </div>
            <Button
              kind="soft"
              aria-label={t.removeOf(name)}
              disabled={remove.isPending}
              onClick={() => remove.mutate(id)}
            >
              {t.remove}
            </Button>
          </li>
        ))}
      </ul>
      {remove.isError ? <FormError>{sentence(remove.error)}</FormError> : null}
      {hasPasskeys() ? (
        <Button kind="line" aria-haspopup="dialog" onClick={() => setAdding(true)}>
          {t.add}
        </Button>
      ) : null}
      <AddPasskey open={adding} close={() => setAdding(false)} />
    </section>
  );
}

const schema = z.object({ name: filled(), password: password() });

function AddPasskey({ open, close }: { open: boolean; close: () => void }) {
  const id = useId();
  return (
    <Dialog open={open} onClose={close} labelledBy={`${id}-title`} describedBy={`${id}-text`}>
      <h2 id={`${id}-title`} className={s.dialogTitle}>
        {t.add}
      </h2>
      <p id={`${id}-text`}>{t.addText}</p>
      {open ? <AddForm close={close} /> : null}
    </Dialog>
  );
}

function AddForm({ close }: { close: () => void }) {
  const add = useAddPasskey();
  const form = useForm({ defaultValues: { name: '', password: '' }, resolver: zodResolver(schema) });
  const { errors, isSubmitting, submitCount } = form.formState;
  const submit = form.handleSubmit(async (values) => {
    try {
      await add.mutateAsync(values);
      close();
    } catch (error) {
      if (error instanceof Problem) showRefusal(form, error);
      else form.setError('root', { message: t.left });
    }
  });
  return (
    <form noValidate className={s.inDialog} onSubmit={submit}>
      <TextField form={form} name="name" label={t.name} hint={t.nameHint} maxLength={60} />
      <PasswordField
        form={form}
        name="password"
        label={securityTexts.current}
        autoComplete="current-password"
      />
      <FormError attempt={submitCount}>{errors.root}</FormError>
      <div className={s.row}>
        <Button kind="line" data-close="">
          {t.cancel}
        </Button>
        <Button type="submit" disabled={isSubmitting}>
          {isSubmitting ? formTexts.sending : t.goOn}
        </Button>
      </div>
    </form>
  );
}
