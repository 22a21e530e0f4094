import { queryOptions, skipToken, useMutation } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { makePasskey } from '../../../kit/passkey';
import { api } from '../../api/client';
import { type Session, session } from '../../api/session';
import { customerQueries } from './customer-queries';

export const passkeyQueries = {
  /** The passkeys of who is signed in. */
  list: (of: Session | null) =>
    queryOptions({
      queryKey: [...customerQueries.all(of), 'passkeys'],
      queryFn: of ? ({ signal }) => answer(api.GET('/api/auth/profile/passkeys/', { signal })) : skipToken,
    }),
};

/** Has the authenticator make a passkey, and keeps it under a name. */
export const useAddPasskey = () =>
  useMutation({
    mutationFn: async ({ name, password }: { name: string; password: string }) => {
      const options = await answer(api.POST('/api/auth/profile/passkeys/options/', { body: { password } }));
      const credential = await makePasskey(options);
      return answer(api.POST('/api/auth/profile/passkeys/', { body: { name, credential } }));
    },
    onSuccess: (_made, _asked, _result, { client }) =>
      client.invalidateQueries({ queryKey: passkeyQueries.list(session.get()).queryKey }),
  });

export const useRemovePasskey = () =>
  useMutation({
    mutationFn: (id: string) =>
      done(api.DELETE('/api/auth/profile/passkeys/{id}/', { params: { path: { id } } })),
    onSettled: (_done, _error, _id, _result, { client }) =>
      client.invalidateQueries({ queryKey: passkeyQueries.list(session.get()).queryKey }),
  });
