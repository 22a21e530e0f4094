import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type FieldPath, useFieldArray, useForm } from 'react-hook-form';
import { Problem } from '../../../kit/api/problem';
import { serverMessage } from '../../../kit/design/message';
import { FormField } from '../../../kit/form/form-field';
import { useNavigate } from '../../../kit/router/router';
import { words } from '../../api/client';
import { Action, Head, Loaded, Loading, Section } from '../../parts/parts';
import { useWhichStays } from '../changes/merge';
import { Present } from '../changes/present';
import { taking, threeWay } from '../changes/three-way';
import { fieldName } from '../changes/value';
import { AsOf, Now, Still, useAt } from '../desk/as-of';
import { previewOf } from '../products/changes';
import { Menus } from './menus';
import { inForce, type Published, publish, type Settings, settingsQueries, type ToPublish } from './queries';
import { asForm, asSettings, type SettingsForm, settingsSchema } from './schema';
import s from './settings.module.css';
import { settingsTexts as w } from './texts/ru';

/** A member of the settings by its name on the form. */
const wordOf = (member: string): string =>
  ({
    email: w.email,
    phone: w.phone,
    hours: w.hours,
    legal_name: w.legalName,
    registration_number: w.registration,
    address: w.address,
    pickup: w.pickup,
    social_name: w.socialName,
    social_url: w.socialUrl,
    privacy_url: w.privacyUrl,
    offer_url: w.offerUrl,
    offer_version: w.offerVersion,
    returns: w.returns,
    no_delivery: w.weekly,
    holidays: w.holidays,
    menu: w.menu,
    footer_menu: w.footerMenu,
  })[member] ?? fieldName(member);

/** What the shop says of itself, published as one version. */
export function SettingsPage() {
  const at = useAt();
  const found = useQuery(settingsQueries.at(at));
  const [done, setDone] = useState('');
  return (
    <>
      <Head title={w.title} lead={w.lead} />
      <p role="status" className={s.state}>
        {done}
      </p>
      <AsOf />
      <Loaded query={found} what={w.title} loading={<Loading rows={6} height={96} />}>
        {(now) => <Form key={`${now.version} ${at}`} now={now} say={setDone} />}
      </Loaded>
    </>
  );
}

type Said = (text: string) => void;

/** The settings as a form; those of the past can only be read. */
function Form({ now, say }: { now: Published; say: Said }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm<SettingsForm>({
    resolver: zodResolver(settingsSchema),
    defaultValues: asForm(now.settings),
  });
  const { errors, isSubmitting, isDirty } = form.formState;
  const { ask, dialog } = useWhichStays();
  /** Publishes; over a newer version what both changed is asked for, and the rest stays as each left it. */
  const merge = async (made: ToPublish, was = now.settings): ReturnType<typeof publish> => {
    try {
      return await publish(made);
    } catch (failure) {
      if (!(failure instanceof Problem) || failure.status !== 409) throw failure;
      const newer = await inForce();
      if (newer.version === made.version) throw failure;
      const { merged, both } = threeWay(was, made.settings, newer.settings);
      const theirs = await ask(both.map((one) => ({ ...one, label: one.path.map(wordOf).join(': ') })));
      if (!theirs) throw failure;
      const settings = both.reduce<unknown>(
        (made, one, n) => (theirs[n] ? taking(made, one, newer.settings) : made),
        merged,
      );
      return merge({ ...made, version: newer.version, settings: settings as Settings }, newer.settings);
    }
  };
  const send = async (typed: SettingsForm, draft: boolean) => {
    say('');
    let waits: string | undefined;
    try {
      const made = { version: now.version, settings: asSettings(typed) };
      ({ waits } = await merge(draft ? { ...made, draft } : made));
    } catch (failure) {
      showRefusal(failure, (field, text) =>
        form.setError(field, serverMessage(text), { shouldFocus: field !== 'root' }),
      );
      return;
    }
    if (draft && waits) return navigate(previewOf(waits));
    await client.invalidateQueries(settingsQueries.at());
    say(draft ? w.nothing : waits ? w.waits : w.published);
  };
  const submit = form.handleSubmit((typed) => send(typed, false));
  const lookFirst = form.handleSubmit((typed) => send(typed, true));
  const line = (
    name: FieldPath<SettingsForm>,
    label: string,
    required = false,
    hint?: string,
    type = 'text',
  ) => (
    <FormField form={form} name={name} label={label} required={required} hint={hint}>
      {(input) => <input {...input} type={type} maxLength={200} />}
    </FormField>
  );
  const both = (name: 'hours' | 'address' | 'pickup', label: string, required = false, hint?: string) => (
    <>
      {line(`${name}.ru`, w.inRussian(label), required, hint)}
      {line(`${name}.kk`, w.inKazakh(label))}
    </>
  );
  const text = (name: 'returns.ru' | 'returns.kk', label: string) => (
    <FormField form={form} name={name} label={label} required={false}>
      {(input) => <textarea {...input} rows={5} maxLength={2000} />}
    </FormField>
  );
  return (
    <form noValidate onSubmit={submit}>
      <Now>
        <Present thing="settings" id="settings" editing={isDirty} />
      </Now>
      {dialog}
      <p className={s.state}>{!now.published ? w.stated : w.version(now.version)}</p>
      <Still name={w.title}>
        <Section title={w.contacts}>
          <div className={s.fields}>
            {line('email', w.email, true, undefined, 'email')}
            {line('phone', w.phone, false, undefined, 'tel')}
            {both('hours', w.hours)}
            {line('social_name', w.socialName)}
            {line('social_url', w.socialUrl)}
          </div>
        </Section>
        <Section title={w.seller}>
          <div className={s.fields}>
            {line('legal_name', w.legalName, true)}
            {line('registration_number', w.registration)}
            {both('address', w.address, true)}
            {both('pickup', w.pickup, false, w.pickupHint)}
          </div>
        </Section>
        <Section title={w.documents}>
          <div className={s.fields}>
            {line('privacy_url', w.privacyUrl)}
            {line('offer_url', w.offerUrl)}
            {line('offer_version', w.offerVersion, true, w.offerVersionHint)}
            {text('returns.ru', w.inRussian(w.returns))}
            {text('returns.kk', w.inKazakh(w.returns))}
          </div>
        </Section>
        <Menus form={form} line={line} />
        <Section title={w.days}>
          <fieldset className={s.days}>
            <legend>{w.weekly}</legend>
            {w.weekdays.map((day, at) => (
              <label key={day}>
                <input type="checkbox" {...form.register(`weekdays.${at}`)} /> {day}
              </label>
            ))}
          </fieldset>
          <p role="alert" className={s.failed}>
            {errors.weekdays?.root?.message ?? errors.weekdays?.message}
          </p>
          <Holidays form={form} line={line} />
        </Section>
      </Still>
      <p role="alert" className={s.failed}>
        {errors.root?.message}
      </p>
      <Now>
        <div className={s.actions}>
          <Action type="submit" kind="strong" aria-disabled={isSubmitting}>
            {w.publish}
          </Action>
          <Action aria-disabled={isSubmitting} onClick={lookFirst}>
            {w.lookFirst}
          </Action>
          {isDirty ? <Action onClick={() => form.reset()}>{w.reset}</Action> : null}
        </div>
      </Now>
    </form>
  );
}

function Holidays({
  form,
  line,
}: {
  form: ReturnType<typeof useForm<SettingsForm>>;
  line: (
    name: FieldPath<SettingsForm>,
    label: string,
    required?: boolean,
    hint?: string,
    type?: string,
  ) => React.ReactNode;
}) {
  const days = useFieldArray({ control: form.control, name: 'holidays' });
  return (
    <fieldset className={s.holidays}>
      <legend>{w.holidays}</legend>
      {days.fields.length === 0 ? <p>{w.noHolidays}</p> : null}
      {days.fields.map((day, at) => (
        <div key={day.id} className={s.holiday}>
          {line(`holidays.${at}.date`, w.date, true, undefined, 'date')}
          {line(`holidays.${at}.name.ru`, w.inRussian(w.name))}
          {line(`holidays.${at}.name.kk`, w.inKazakh(w.name))}
          <Action onClick={() => days.remove(at)}>{w.remove(form.getValues(`holidays.${at}.date`))}</Action>
        </div>
      ))}
      <div>
        <Action onClick={() => days.append({ date: '', name: { ru: '', kk: '' } })}>{w.add}</Action>
      </div>
    </fieldset>
  );
}

/** Says a refusal where it belongs: the server names fields as holidays[0].date, the form as holidays.0.date. */
function showRefusal(
  failure: unknown,
  tell: (field: FieldPath<SettingsForm> | 'root', text: string) => void,
) {
  const fields = failure instanceof Problem ? Object.entries(failure.fields) : [];
  for (const [field, said] of fields)
    tell(field.replace(/\[(\d+)\]/g, '.$1') as FieldPath<SettingsForm>, said);
  if (fields.length > 0) return;
  tell('root', failure instanceof Problem && failure.status === 409 ? w.moved : words(failure));
}
