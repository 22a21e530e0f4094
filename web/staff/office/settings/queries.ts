import { queryOptions } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { asked } from '../desk/as-of';

type Schemas = components['schemas'];
export type Settings = Schemas['Settings'];
export type Published = Schemas['PublishedSettings'];
export type ToPublish = Schemas['SettingsToPublish'];

/** The settings in force, now or at a moment. */
export const inForce = (at = '', signal?: AbortSignal): Promise<Published> =>
  answer(api.GET('/api/staff/settings/', { params: { query: asked(at) }, ...(signal ? { signal } : {}) }));

export const settingsQueries = {
  at: (at = '') =>
    queryOptions({
      queryKey: ['office', 'settings', at],
      queryFn: ({ signal }) => inForce(at, signal),
      // What somebody types must not be taken away by a later look.
      refetchOnWindowFocus: false,
    }),
};

/**
 * Publishes settings that were made of a version, and answers the id of the change when it waits, as a draft or for a second person.
 * Rejects with the shop's Problem, a conflict when there is a newer version.
 */
export async function publish(body: ToPublish): Promise<{ waits?: string | undefined }> {
  const call = api.POST('/api/staff/settings/', { body });
  await done(call);
  return { waits: (await call).data?.id };
}
