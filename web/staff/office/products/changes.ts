import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { Item } from './draft';

/** What somebody wants to change, and when. */
export type Proposal = {
  title: string;
  reason: string;
  /** RFC 3339; absent: at once, and for good. */
  starts_at?: string;
  ends_at?: string;
  /** Whether items that cannot be changed are left out, in place of refusing all. */
  partly?: boolean;
  items: Item[];
};

/** What would become of an item, or what became of it. */
export type ItemResult = { was?: unknown; now?: unknown; code?: string; detail?: string };
export type Accepted = { id: string; status: string; results: ItemResult[] };

// biome-ignore lint/suspicious/noExplicitAny: until the calls are described
const post = (path: string, body: unknown): Promise<any> => answer((api as any).POST(path, { body }));

/** What a proposal would do to each item. */
export const dryRun = (proposal: Proposal): Promise<Accepted> =>
  post('/api/staff/changes/dry-run/', proposal);

/** Proposes a change; it is applied at once when nobody has to approve it and its time has come. */
export const propose = (proposal: Proposal): Promise<Accepted> => post('/api/staff/changes/', proposal);

/** The moment that a field of a form means, in the time of Almaty. */
export const momentOf = (local: string): string | undefined => (local ? `${local}:00+05:00` : undefined);
