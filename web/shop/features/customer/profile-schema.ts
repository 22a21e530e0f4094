import * as z from 'zod/mini';
import type { Profile, ProfileChange } from '../../api/types';
import { barePhone, maskPhone } from '../../design/phone';
import { formTexts } from '../../texts/form';
import { email, filled, phone } from '../form/rules';

const fields = z.object({
  first_name: filled(),
  last_name: filled(),
  phone: phone(),
  email: email(),
  city: filled(),
  street: filled(),
  house: filled(),
  floor: filled(),
  apartment: filled(),
  entrance: filled(),
  password: z.string(),
});
export type ProfileForm = z.infer<typeof fields>;

/** Whether two e-mails are one, however they are spelled. */
export const sameEmail = (one: string, other: string) =>
  one.trim().toLowerCase() === other.trim().toLowerCase();

/**
 * The profile as its form holds it. Nothing is sent while anything of it is empty; the password is needed for another
 * e-mail than the one that the form began with.
 */
export const profileSchema = (email: string) =>
  fields.check(
    z.refine((form) => sameEmail(form.email, email) || form.password !== '', {
      error: () => formTexts.required,
      path: ['password'],
    }),
  );

export function asForm({ first_name, last_name, email, email_wanted, info }: Profile): ProfileForm {
  const { city, street, house, floor, apartment, entrance } = info;
  return {
    first_name,
    last_name,
    phone: maskPhone(info.phone),
    email: email_wanted ?? email,
    city,
    street,
    house,
    floor,
    apartment,
    entrance,
    password: '',
  };
}

/** The profile as the server wants it. */
export function asChange({
  first_name,
  last_name,
  email,
  password,
  phone,
  ...address
}: ProfileForm): ProfileChange {
  const info = { ...address, phone: barePhone(phone) };
  return { first_name, last_name, email, ...(password && { password }), info };
}

/** What a photo of oneself may be. */
export const photoTypes = ['image/png', 'image/jpeg'];
export const maxPhotoBytes = 10 << 20;
