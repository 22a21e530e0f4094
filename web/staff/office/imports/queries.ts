import { api, fileBody } from '../../api/client';
import type { components } from '../../api/schema';
import { told } from '../../api/told';

export type ImportPlan = components['schemas']['ImportPlan'];
export type PlannedRow = ImportPlan['rows'][number];
export type Matched = Record<string, string>;

/** How many bytes a file may have; the server takes no more. */
export const largest = 32 << 20;

/** The most items that one change has. */
export const mostItems = 20_000;

/** Our columns of a catalog file, in the order in which people look for them. */
export const ours = [
  'article',
  'name',
  'price',
  'discounted_price',
  'old_price',
  'stock',
  'available',
  'brand',
  'category',
  'marks',
  'description',
  'composition',
  'apply_method',
  'package_size',
  'made_in',
  'expires',
  'pictures',
  'gtin',
  'shelf',
  'low_line',
  'archived',
  'link',
  'name_kk',
  'description_kk',
  'apply_method_kk',
  'package_size_kk',
  'made_in_kk',
  'category_kk',
  'expires_kk',
] as const;

/**
 * What a file would change; nothing of it is written. Hear which share of the file is read, from 0 to 1. Without columns those count that
 * were matched for the last file with the same headers.
 */
export const planOf = (
  file: Blob,
  matched: Matched | undefined,
  signal: AbortSignal,
  hear: (share: number) => void,
): Promise<ImportPlan> =>
  told(
    api.POST('/api/staff/imports/plan/', {
      params: { query: { progress: true, ...(matched ? { columns: JSON.stringify(matched) } : {}) } },
      ...fileBody(file),
      parseAs: 'stream',
      signal,
    }),
    hear,
  );

/** A plan whose header is matched by hand to one of our fields; none: it is ignored. */
export function matchedTo(plan: ImportPlan, theirs: string, field: string): ImportPlan {
  const others = Object.entries(plan.matched).filter(([one, header]) => header !== theirs && one !== field);
  const before = plan.columns.find((column) => column.theirs === theirs)?.ours ?? '';
  const matched = Object.fromEntries([
    ...others,
    // What our own list recognises comes back unless it is said that nothing is read as it.
    ...(before && before !== field && plan.matched[before] !== theirs ? [[before, '']] : []),
    ...(field ? [[field, theirs]] : []),
  ]);
  const columns = plan.columns.map((column) =>
    column.theirs === theirs
      ? { theirs, ours: field }
      : column.ours === field
        ? { ...column, ours: '' }
        : column,
  );
  return { ...plan, matched, columns };
}
