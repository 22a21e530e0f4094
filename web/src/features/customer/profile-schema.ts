import * as z from 'zod/mini';
import type { Profile, ProfileChange } from '../../api/types';
import { barePhone, maskPhone } from '../../design/phone';
import { email, filled, phone } from '../form/rules';

/** The profile as its form holds it. Nothing is sent while anything of it is empty. */
export const profileSchema = z.object({
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
});
export type ProfileForm = z.infer<typeof profileSchema>;

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
  };
}

/** The profile as the server wants it. */
export function asChange({ first_name, last_name, email, phone, ...address }: ProfileForm): ProfileChange {
  return { first_name, last_name, email, info: { ...address, phone: barePhone(phone) } };
}

/** What a photo of oneself may be. */
export const photoTypes = ['image/png', 'image/jpeg'];
export const maxPhotoBytes = 10 << 20;
