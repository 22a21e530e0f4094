import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Problem } from '../../../kit/api/problem';
import { Checkbox } from '../../../kit/design/checkbox';
import { Fieldset } from '../../../kit/design/field';
import { FormField } from '../../../kit/form/form-field';
import { words } from '../../api/client';
import { languageNames, languages } from '../../language';
import e from '../../parts/entries.module.css';
import { Mark } from '../../parts/mark';
import { Action, Confirm, Loaded, Moment, Nothing, Section } from '../../parts/parts';
import { useAct } from './notices';
import s from './notices.module.css';
import { type Cause, dropWebhook, noticeQueries, saveWebhook, tryWebhook, type Webhook } from './queries';
import { noticesTexts as w } from './texts/ru';

/** The programs that the shop tells, for an admin. */
export function Webhooks() {
  const found = useQuery(noticeQueries.webhooks());
  const { act, outcome } = useAct();
  const [edited, setEdited] = useState<Webhook | 'new'>();
  const [dropped, setDropped] = useState<Webhook>();
  return (
    <Section title={w.hooks}>
      <p>{w.hooksWhy}</p>
      <Loaded query={found} what={w.hooks}>
        {({ webhooks, causes }) => (
          <>
            {webhooks.length === 0 ? <Nothing title={w.noHooks}>{w.noHooksWhy}</Nothing> : null}
            <ul className={e.entries}>
              {webhooks.map((hook) => (
                <li key={hook.id}>
                  <div className={s.hook}>
                    <b>{hook.name}</b>{' '}
                    {hook.error ? (
                      <Mark tone="bad">{w.failing}</Mark>
                    ) : (
                      <Mark tone={hook.enabled ? 'good' : 'rest'}>{hook.enabled ? w.on : w.off}</Mark>
                    )}
                    <p>{hook.host}</p>
                    <p className={s.said}>
                      {hook.causes.map((cause) => w.causes[cause]).join(', ') || w.nothingChosen}
                    </p>
                    <p className={s.said}>
                      {w.toldAt} <Moment at={hook.told_at} />
                      {hook.waiting > 0 ? `, ${w.waiting(hook.waiting)}` : ''}
                    </p>
                    {hook.error ? <p className={s.failed}>{hook.error}</p> : null}
                  </div>
                  <div className={s.buttons}>
                    <Action
                      aria-label={w.tryOf(hook.name)}
                      onClick={() => act(() => tryWebhook(hook.id), w.tried)}
                    >
                      {w.try}
                    </Action>
                    <Action aria-label={w.editOf(hook.name)} onClick={() => setEdited(hook)}>
                      {w.edit}
                    </Action>
                    <Action kind="danger" aria-label={w.dropOf(hook.name)} onClick={() => setDropped(hook)}>
                      {w.drop}
                    </Action>
                  </div>
                </li>
              ))}
            </ul>
            {outcome}
            {edited ? (
              <HookForm
                key={edited === 'new' ? 'new' : edited.id}
                hook={edited === 'new' ? undefined : edited}
                causes={causes}
                close={() => setEdited(undefined)}
                saved={() => act(async () => {}, w.saved)}
              />
            ) : (
              <Action kind="strong" onClick={() => setEdited('new')}>
                {w.addHook}
              </Action>
            )}
          </>
        )}
      </Loaded>
      {dropped ? (
        <Confirm
          title={w.dropOf(dropped.name)}
          button={w.drop}
          danger
          act={() => act(() => dropWebhook(dropped.id))}
          close={() => setDropped(undefined)}
        >
          <p>{w.dropWhy}</p>
        </Confirm>
      ) : null}
    </Section>
  );
}

const schema = (known: boolean) => {
  const filled = (value: string) => known || value.trim() !== '';
  return z
    .object({
      name: z.string().check(z.trim(), z.minLength(1, { error: () => w.needed })),
      kind: z.enum(['json', 'telegram']),
      url: z.string(),
      secret: z.string(),
      token: z.string(),
      chat: z.string(),
      language: z.enum(['ru', 'kk', 'en']),
    })
    .check(
      z.refine((it) => it.kind !== 'json' || filled(it.url), { path: ['url'], error: () => w.needed }),
      z.refine((it) => it.kind !== 'json' || filled(it.secret), { path: ['secret'], error: () => w.needed }),
      z.refine((it) => it.kind !== 'telegram' || filled(it.token), {
        path: ['token'],
        error: () => w.needed,
      }),
      z.refine((it) => it.kind !== 'telegram' || filled(it.chat), { path: ['chat'], error: () => w.needed }),
    );
};

function HookForm({
  hook,
  causes,
  close,
  saved,
}: {
  hook: Webhook | undefined;
  causes: Cause[];
  close: () => void;
  saved: () => Promise<unknown>;
}) {
  const [chosen, setChosen] = useState<Cause[]>(hook?.causes ?? ['new_order']);
  const [enabled, setEnabled] = useState(hook?.enabled ?? true);
  const form = useForm({
    resolver: zodResolver(schema(hook !== undefined)),
    defaultValues: {
      name: hook?.name ?? '',
      kind: hook?.kind ?? 'json',
      url: '',
      secret: '',
      token: '',
      chat: '',
      language: hook?.language ?? 'ru',
    },
  });
  const kind = form.watch('kind');
  const submit = form.handleSubmit(async (setting) => {
    try {
      await saveWebhook(hook?.id, { ...setting, causes: chosen, enabled });
    } catch (failure) {
      const fields = failure instanceof Problem ? Object.entries(failure.fields) : [];
      for (const [field, said] of fields) form.setError(field as 'name', { message: said });
      if (fields.length === 0) form.setError('root', { message: words(failure) });
      return;
    }
    close();
    await saved();
  });
  const secretHint = hook ? w.keptSecret : undefined;
  return (
    <form className={s.form} onSubmit={submit} noValidate aria-label={hook ? w.editOf(hook.name) : w.addHook}>
      <FormField form={form} name="name" label={w.name}>
        {(input) => <input {...input} maxLength={60} />}
      </FormField>
      <FormField form={form} name="kind" label={w.kind}>
        {(input) => (
          <select {...input} disabled={hook !== undefined}>
            <option value="json">{w.json}</option>
            <option value="telegram">{'Telegram'}</option>
          </select>
        )}
      </FormField>
      {kind === 'json' ? (
        <>
          <FormField form={form} name="url" label={w.url} hint={secretHint ?? w.urlHint}>
            {(input) => (
              <input {...input} type="url" inputMode="url" placeholder={'https://'} autoComplete="off" />
            )}
          </FormField>
          <FormField form={form} name="secret" label={w.secret} hint={secretHint ?? w.secretHint}>
            {(input) => <input {...input} autoComplete="off" spellCheck={false} />}
          </FormField>
        </>
      ) : (
        <>
          <FormField form={form} name="token" label={w.token} hint={secretHint ?? w.tokenHint}>
            {(input) => <input {...input} autoComplete="off" spellCheck={false} />}
          </FormField>
          <FormField form={form} name="chat" label={w.chat} hint={secretHint ?? w.chatHint}>
            {(input) => <input {...input} autoComplete="off" />}
          </FormField>
        </>
      )}
      <Fieldset legend={w.cause}>
        {causes.map((cause) => (
          <Checkbox
            key={cause}
            label={w.causes[cause]}
            checked={chosen.includes(cause)}
            onChange={({ target }) =>
              setChosen(target.checked ? [...chosen, cause] : chosen.filter((other) => other !== cause))
            }
          />
        ))}
      </Fieldset>
      <FormField form={form} name="language" label={w.language}>
        {(input) => (
          <select {...input}>
            {languages.map((language) => (
              <option key={language} value={language}>
                {languageNames[language]}
              </option>
            ))}
          </select>
        )}
      </FormField>
      <Checkbox label={w.enabled} checked={enabled} onChange={({ target }) => setEnabled(target.checked)} />
      <p role="alert" className={s.failed}>
        {form.formState.errors.root?.message}
      </p>
      <div className={s.buttons}>
        <Action kind="strong" type="submit">
          {w.save}
        </Action>
        <Action onClick={close}>{w.leave}</Action>
      </div>
    </form>
  );
}
