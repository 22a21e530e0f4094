import { answer } from '../../../kit/api/answer';
import { api, sawPosition } from '../../api/client';
import type { components } from '../../api/schema';
import { told } from '../../api/told';

type Schemas = components['schemas'];
/** What somebody wants to change, and when. */
export type Proposal = Schemas['Proposal'];
/** What would become of an item, or what became of it. A code says why it was not changed. */
export type ItemResult = Schemas['ChangeResult'];
export type Accepted = Schemas['ChangeAnswer'];

/** What a proposal would do to each item. */
export const dryRun = (body: Proposal): Promise<Accepted> =>
  answer(api.POST('/api/staff/changes/dry-run/', { body }));

/** What a proposal would have made of the orders of the last days. */
export const dryEffect = (body: Proposal) => answer(api.POST('/api/staff/changes/effect/', { body }));

/** Proposes a change; it is applied at once when nobody has to approve it and its time has come. */
export const propose = (body: Proposal): Promise<Accepted> =>
  answer(api.POST('/api/staff/changes/', { body }));

/** The same, for many items: hear which share of them is checked. Until that is 1 the signal stops it, and nothing is written. */
export async function proposeMany(
  body: Proposal,
  signal: AbortSignal,
  hear: (share: number) => void,
): Promise<Accepted> {
  const made = await told<Accepted>(
    api.POST('/api/staff/changes/', {
      params: { query: { progress: true } },
      body,
      parseAs: 'stream',
      signal,
    }),
    hear,
  );
  sawPosition(made.position ?? 0);
  return made;
}

/** Where the pages of the shop are as they would be with a change. */
export const previewOf = (id: string) => `/admin/changes/${id}/preview`;

/** The moment that a field of a form means, in the time of Almaty. */
export const momentOf = (local: string): string | undefined => (local ? `${local}:00+05:00` : undefined);
