import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { Button } from '../../../kit/design/button';
import { Fieldset, FormError } from '../../../kit/design/field';
import type { Profile } from '../../api/types';
import { profileTexts } from '../../texts/account';
import { formTexts } from '../../texts/form';
import { CityCombobox } from '../city/city-combobox';
import { afterFrame } from '../form/after-frame';
import { showRefusal } from '../form/refusal';
import { PasswordField, PhoneField, TextField } from '../form/text-field';
import { useChangeProfile, useSetPhoto } from './customer-commands';
import { PhotoInput } from './photo-input';
import s from './profile-form.module.css';
import { asChange, asForm, type ProfileForm as Fields, profileSchema, sameEmail } from './profile-schema';

const t = profileTexts;

/** Who the customer is and where their orders go. A chosen photo is sent after the rest was saved. */
export function ProfileForm({ profile }: { profile: Profile }) {
  const [photo, setPhoto] = useState<File>();
  const [saved, setSaved] = useState(false);
  const change = useChangeProfile();
  const show = useSetPhoto();
  const shownEmail = profile.email_wanted ?? profile.email;
  const form = useForm<Fields>({
    defaultValues: asForm(profile),
    resolver: zodResolver(profileSchema(shownEmail)),
  });
  const { errors, isDirty, isSubmitting, submitCount } = form.formState;
  const email = useWatch({ control: form.control, name: 'email' });

  const sendPhoto = async () => {
    if (!photo) return;
    await show.mutateAsync(photo);
    setPhoto(undefined);
  };
  const send = async (save: () => Promise<void>) => {
    setSaved(false);
    try {
      await save();
      setSaved(true);
    } catch (error) {
      showRefusal(form, error);
    }
  };
  const submitAll = form.handleSubmit((values) =>
    send(async () => {
      form.reset(asForm(await change.mutateAsync(asChange(values))), { keepSubmitCount: true });
      await sendPhoto();
    }),
  );

  return (
    <form
      noValidate
      className={s.form}
      onChange={() => setSaved(false)}
      // A photo alone needs no whole address.
      onSubmit={afterFrame(() => (isDirty || !photo ? submitAll() : send(sendPhoto)))}
    >
      <PhotoInput profile={profile} photo={photo} onPhoto={setPhoto} />
      <Fieldset legend={t.person}>
        <div className={s.two}>
          <TextField form={form} name="first_name" label={t.firstName} autoComplete="given-name" />
          <TextField form={form} name="last_name" label={t.lastName} autoComplete="family-name" />
        </div>
        <div className={s.two}>
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
        </div>
        {errors.password || !sameEmail(email, shownEmail) ? (
          <PasswordField
            form={form}
            name="password"
            label={t.emailPassword}
            hint={t.emailPasswordHint}
            autoComplete="current-password"
          />
        ) : null}
      </Fieldset>
      <Fieldset legend={t.address}>
        <Controller
          name="city"
          control={form.control}
          render={({ field, fieldState }) => (
            <CityCombobox
              value={field.value}
              onChoose={field.onChange}
              onBlur={field.onBlur}
              ref={field.ref}
              error={fieldState.error}
              attempt={submitCount}
            />
          )}
        />
        <TextField form={form} name="street" label={t.street} autoComplete="address-line1" />
        <div className={s.four}>
          <TextField form={form} name="house" label={t.house} autoComplete="off" maxLength={30} />
          <TextField form={form} name="floor" label={t.floor} autoComplete="off" maxLength={20} />
          <TextField form={form} name="apartment" label={t.apartment} autoComplete="off" maxLength={20} />
          <TextField form={form} name="entrance" label={t.entrance} autoComplete="off" maxLength={20} />
        </div>
      </Fieldset>
      <FormError attempt={submitCount}>{errors.root}</FormError>
      <div className={s.save}>
        <Button type="submit" disabled={isSubmitting || show.isPending}>
          {isSubmitting || show.isPending ? formTexts.sending : t.save}
        </Button>
        <p role="status">{saved ? t.saved : ''}</p>
      </div>
    </form>
  );
}
