import * as z from 'zod/mini';
import { barePhone } from '../../design/phone';
import { registrationTexts } from '../../texts/session';
import { differs, email, filled, newPassword, password, phone } from '../form/rules';

export const loginSchema = z.object({ username: filled(), password: password() });
export type Login = z.infer<typeof loginSchema>;

export const registrationSchema = z
  .object({
    first_name: filled(),
    last_name: filled(),
    phone: phone(),
    email: email(),
    password: newPassword(),
    password_check: password(),
    consent: z
      .boolean()
      .check(z.refine((agreed) => agreed, { error: () => registrationTexts.consentNeeded })),
  })
  .check(z.refine((form) => form.password === form.password_check, differs('password_check')));
export type RegistrationForm = z.infer<typeof registrationSchema>;

/** The registration as the server wants it: with an address still empty. */
export function asRegistration(form: RegistrationForm) {
  const number = barePhone(form.phone);
  const address = { city: '', street: '', house: '', floor: '', apartment: '', entrance: '', address: '' };
  // The schema lets nothing else through.
  const consent = form.consent as true;
  return { ...form, consent, phone: number, info: { ...address, phone: number } };
}

export const codeRequestSchema = z.object({ email: email() });
export type CodeRequest = z.infer<typeof codeRequestSchema>;

/** The names are the server's: password repeats new_password. */
export const resetSchema = z
  .object({ code: filled(), new_password: newPassword(), password: password() })
  .check(z.refine((form) => form.new_password === form.password, differs('password')));
export type Reset = z.infer<typeof resetSchema>;

export const newPasswordSchema = z
  .object({ new_password: newPassword(), password: password() })
  .check(z.refine((form) => form.new_password === form.password, differs('password')));
export type NewPassword = z.infer<typeof newPasswordSchema>;

export const ownerSchema = z.object({ current_password: password() });
