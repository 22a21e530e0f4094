import { queryOptions, skipToken, useMutation } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { api } from '../../api/client';
import { type Session as SignedIn, session } from '../../api/session';
import type { PasswordChange } from '../../api/types';
import { customerQueries } from './customer-queries';

export const sessionQueries = {
  /** Where the account of who is signed in is signed in, this browser first. */
  list: (of: SignedIn | null) =>
    queryOptions({
      queryKey: [...customerQueries.all(of), 'sessions'],
      queryFn: of ? ({ signal }) => answer(api.GET('/api/auth/profile/sessions/', { signal })) : skipToken,
    }),
};

/** Sets another password; every other sign-in ends. */
export const useChangePassword = () =>
  useMutation({
    mutationFn: (body: PasswordChange) => done(api.POST('/api/auth/profile/password/', { body })),
    onSuccess: (_done, _body, _result, { client }) =>
      client.invalidateQueries({ queryKey: customerQueries.all(session.get()) }),
  });

/** Ends a sign-in; without an id all but this one. */
export const useEndSession = () =>
  useMutation({
    mutationFn: (id?: string) =>
      done(
        id
          ? api.DELETE('/api/auth/profile/sessions/{id}/', { params: { path: { id } } })
          : api.DELETE('/api/auth/profile/sessions/'),
      ),
    // One that had ended already is gone too.
    onSettled: (_done, _error, _id, _result, { client }) =>
      client.invalidateQueries({ queryKey: sessionQueries.list(session.get()).queryKey }),
  });
