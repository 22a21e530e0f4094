import { queryOptions, useMutation } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { api } from '../../api/client';
import { forgetDraft } from '../../api/draft';
import { session } from '../../api/session';
import type { Access } from '../../api/types';
import {
  asRegistration,
  type Login,
  type NewPassword,
  type RegistrationForm,
  type Reset,
} from './session-schema';

const start = ({ id, access }: Access) => session.start({ userId: id, token: access });

export const useSignIn = () =>
  useMutation({
    mutationFn: (login: Login) => answer(api.POST('/api/token/', { body: login })),
    onSuccess: start,
  });

export const useRegister = () =>
  useMutation({
    mutationFn: (form: RegistrationForm) =>
      answer(api.POST('/api/auth/register/', { body: asRegistration(form) })),
    onSuccess: start,
  });

/** How long a sign-out waits for the server; the session ends here in any case. */
const patience = 5000;

export const useSignOut = () =>
  useMutation({
    mutationFn: () => done(api.DELETE('/api/token/', { signal: AbortSignal.timeout(patience) })),
    onSettled: () => {
      forgetDraft();
      session.leave();
    },
  });

export const useRequestCode = () =>
  useMutation({
    mutationFn: (email: string) =>
      answer(api.POST('/api/auth/profile/password-reset/request/', { body: { email } })),
  });

type Renewal = Reset & { email: string };

/** Whether the code is right, and the passwords are acceptable; nothing is changed. */
export const useCheckCode = () =>
  useMutation({
    mutationFn: (body: Renewal) =>
      answer(api.POST('/api/auth/profile/password-reset/validate-code/', { body })),
  });

/** Sets the password; all sign-ins of the account end. */
export const useResetPassword = () =>
  useMutation({
    mutationFn: (body: Renewal) => answer(api.POST('/api/auth/profile/password-reset/', { body })),
    onSuccess: () => session.end(),
  });

type Letter = { token: string };

/** Answers the letter that proves an e-mail with the password that the page asked for. */
export const useVerify = () =>
  useMutation({
    mutationFn: (body: Letter & (NewPassword | { current_password: string })) =>
      done(api.POST('/api/auth/email/verify/', { body })),
    onSuccess: (_done, body) => {
      if ('new_password' in body) session.end();
    },
  });

/** Ends the wish for another e-mail. */
export const useCancelEmail = () =>
  useMutation({ mutationFn: (body: Letter) => done(api.POST('/api/auth/email/cancel/', { body })) });

/** Sets the password by the link of a letter; all sign-ins of the account end. */
export const useResetByLink = () =>
  useMutation({
    mutationFn: (body: Letter & NewPassword) =>
      answer(api.POST('/api/auth/profile/password-reset/by-link/', { body })),
    onSuccess: () => session.end(),
  });

/** Makes a former e-mail the account's again; all sign-ins of the account end. */
export const useTakeEmailBack = () =>
  useMutation({
    mutationFn: (body: Letter & NewPassword) => done(api.POST('/api/auth/email/take-back/', { body })),
    onSuccess: () => session.end(),
  });

/** The answer to the letter that proves an e-mail: given once for a token, also when the page is drawn again. */
export const verification = (token: string) =>
  queryOptions({
    queryKey: ['verification', token],
    queryFn: async () => {
      await done(api.POST('/api/auth/email/verify/', { body: { token } }));
      return true;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
