import { queryOptions, useMutation } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { isRecord, Problem } from '../../../kit/api/problem';
import { api, words } from '../../api/client';
import type { components } from '../../api/schema';
import { teamTexts } from './texts/ru';

export type Member = components['schemas']['StaffMember'];
export type Role = Member['role'];
export type Invitation = components['schemas']['StaffInvitation'];

export const teamQueries = {
  all: () =>
    queryOptions({
      queryKey: ['office', 'staff'],
      queryFn: async ({ signal }) => (await answer(api.GET('/api/staff/accounts/', { signal }))).accounts,
    }),
};

const of = (id: string) => ({ params: { path: { id } } });

/** What can be done to an account. Those that answer with a link show it once. */
export const changes = {
  invite: (body: { email: string; role: Role }) => answer(api.POST('/api/staff/accounts/', { body })),
  invitation: (id: string) => answer(api.POST('/api/staff/accounts/{id}/invitation/', of(id))),
  reset: (id: string) => answer(api.POST('/api/staff/accounts/{id}/reset/', of(id))),
  role: (id: string, role: Role) =>
    answer(api.PUT('/api/staff/accounts/{id}/role/', { ...of(id), body: { role } })),
  access: (id: string, enabled: boolean) =>
    answer(api.PUT('/api/staff/accounts/{id}/access/', { ...of(id), body: { enabled } })),
  unlock: (id: string) => answer(api.DELETE('/api/staff/accounts/{id}/attempts/', of(id))),
  signOut: (id: string) => answer(api.DELETE('/api/staff/accounts/{id}/sessions/', of(id))),
};

/** Carries out a change, after which the list is asked for again; also when it failed, for then it was out of date. */
export const useChange = () =>
  useMutation({
    mutationFn: (change: () => Promise<Member | Invitation>) => change(),
    onSettled: (_done, _error, _change, _result, { client }) =>
      client.invalidateQueries({ queryKey: teamQueries.all().queryKey }),
  });

/** What to tell of a refusal, in the language in use. */
export function refusal(error: unknown): string {
  const code = error instanceof Problem && isRecord(error.body) ? error.body.code : undefined;
  return (typeof code === 'string' && teamTexts.refusals[code]) || words(error);
}
