import { queryOptions, useMutation } from '@tanstack/react-query';
import { answer, done } from '../../kit/api/answer';
import { makePasskey } from '../../kit/passkey';
import { api } from '../api/client';

export const ownQueries = {
  /** Where the account is signed in, this session first. */
  sessions: () =>
    queryOptions({
      queryKey: ['own', 'sessions'],
      queryFn: async ({ signal }) => (await answer(api.GET('/api/staff/me/sessions/', { signal }))).sessions,
    }),
  passkeys: () =>
    queryOptions({
      queryKey: ['own', 'passkeys'],
      queryFn: async ({ signal }) => (await answer(api.GET('/api/staff/me/passkeys/', { signal }))).passkeys,
    }),
};

/** Ends a session; without an id all but this one. */
export const useEndSession = () =>
  useMutation({
    mutationFn: (id?: string) =>
      done(
        id
          ? api.DELETE('/api/staff/me/sessions/{id}/', { params: { path: { id } } })
          : api.DELETE('/api/staff/me/sessions/'),
      ),
    // One that had ended already is gone too.
    onSettled: (_done, _error, _id, _result, { client }) =>
      client.invalidateQueries({ queryKey: ownQueries.sessions().queryKey }),
  });

type PasswordChange = { current_password: string; new_password: string };

export const useChangePassword = () =>
  useMutation({
    mutationFn: (body: PasswordChange) => done(api.POST('/api/staff/me/password/', { body })),
    onSuccess: (_done, _body, _result, { client }) => client.invalidateQueries({ queryKey: ['own'] }),
  });

export const useRenewCodes = () =>
  useMutation({
    mutationFn: async () => (await answer(api.POST('/api/staff/me/recovery-codes/'))).recovery_codes,
  });

export const useNextAuthenticator = () =>
  useMutation({
    mutationFn: (body: { password: string; code: string }) =>
      answer(api.POST('/api/staff/me/authenticator/', { body })),
  });

export const useConfirmAuthenticator = () =>
  useMutation({
    mutationFn: (code: string) =>
      done(api.POST('/api/staff/me/authenticator/confirmation/', { body: { code } })),
    onSuccess: (_done, _code, _result, { client }) =>
      client.invalidateQueries({ queryKey: ownQueries.sessions().queryKey }),
  });

/** Has the authenticator make a passkey, and keeps it under a name. */
export const useAddPasskey = () =>
  useMutation({
    mutationFn: async (name: string) => {
      const options = await answer(api.POST('/api/staff/me/passkeys/options/'));
      const credential = await makePasskey(options);
      return answer(api.POST('/api/staff/me/passkeys/', { body: { name, credential } }));
    },
    onSuccess: (_made, _name, _result, { client }) =>
      client.invalidateQueries({ queryKey: ownQueries.passkeys().queryKey }),
  });

export const useRemovePasskey = () =>
  useMutation({
    mutationFn: (id: string) =>
      done(api.DELETE('/api/staff/me/passkeys/{id}/', { params: { path: { id } } })),
    onSettled: (_done, _error, _id, _result, { client }) =>
      client.invalidateQueries({ queryKey: ownQueries.passkeys().queryKey }),
  });
