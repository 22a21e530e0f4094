import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Problem } from '../../kit/api/problem';
import { Button } from '../../kit/design/button';
import { FormField } from '../../kit/form/form-field';
import { hasPasskeys } from '../../kit/passkey';
import { words } from '../api/client';
import e from '../parts/entries.module.css';
import { Action, Loaded, Moment, Section } from '../parts/parts';
import { ownTexts } from '../texts/ru';
import s from './account.module.css';
import { ownQueries, useAddPasskey, useRemovePasskey } from './own-queries';

const schema = z.object({
  name: z.string().check(z.trim(), z.minLength(1, { error: () => ownTexts.needed })),
});

/** The passkeys of the account: each has a name and can be removed. */
export function Passkeys() {
  const passkeys = useQuery(ownQueries.passkeys());
  const remove = useRemovePasskey();
  return (
    <Section title={ownTexts.passkeys}>
      <p>{hasPasskeys() ? ownTexts.passkeysWhy : ownTexts.passkeysNotHere}</p>
      <Loaded query={passkeys} what={ownTexts.passkeys}>
        {(all) => (
          <ul className={e.entries}>
            {all.map(({ id, name, created_at, used_at }) => (
              <li key={id}>
                <div>
                  <p>
                    <b>{name}</b>
                  </p>
                  <p className={s.place}>
                    {ownTexts.added} <Moment at={created_at} />, {ownTexts.used} <Moment at={used_at} />
                  </p>
                </div>
                <Action
                  kind="danger"
                  aria-label={ownTexts.removeOf(name)}
                  disabled={remove.isPending}
                  onClick={() => remove.mutate(id)}
                >
                  {ownTexts.remove}
                </Action>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <p role="alert" className={s.error}>
        {remove.error ? words(remove.error) : ''}
      </p>
      {hasPasskeys() ? <AddPasskey /> : null}
    </Section>
  );
}

function AddPasskey() {
  const add = useAddPasskey();
  const form = useForm({ resolver: zodResolver(schema), defaultValues: { name: '' } });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async ({ name }) => {
    try {
      await add.mutateAsync(name);
      form.reset({ name: '' });
    } catch (failure) {
      form.setError('root', { message: failure instanceof Problem ? words(failure) : ownTexts.passkeyLeft });
    }
  });
  return (
    <form noValidate className={s.form} onSubmit={submit}>
      <FormField form={form} name="name" label={ownTexts.passkeyName} hint={ownTexts.passkeyNameHint}>
        {(input) => <input {...input} maxLength={60} />}
      </FormField>
      <p role="alert" className={s.error}>
        {errors.root?.message}
      </p>
      <Button kind="soft" type="submit" aria-disabled={isSubmitting}>
        {ownTexts.addPasskey}
      </Button>
    </form>
  );
}
