import { answer } from '../../../kit/api/answer';
import { api, fileBody } from '../../api/client';
import type { components } from '../../api/schema';

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

/** What a file would change; nothing is written. */
export const planOf = (file: Blob, matched: Matched, signal?: AbortSignal): Promise<ImportPlan> =>
  answer(
    api.POST('/api/staff/imports/plan/', {
      params: { query: Object.keys(matched).length > 0 ? { columns: JSON.stringify(matched) } : {} },
      ...fileBody(file),
      ...(signal ? { signal } : {}),
    }),
  );

const key = 'import-columns';

/** The columns that were matched by hand for files with such headers. */
export function remembered(headers: string[]): Matched {
  try {
    const all = JSON.parse(localStorage.getItem(key) ?? '{}') as Record<string, Matched>;
    return all[headers.join('|')] ?? {};
  } catch {
    return {};
  }
}

export function remember(headers: string[], matched: Matched): void {
  try {
    const all = JSON.parse(localStorage.getItem(key) ?? '{}') as Record<string, Matched>;
    const kept = Object.entries({ ...all, [headers.join('|')]: matched }).slice(-20);
    localStorage.setItem(key, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // Without storage people match again.
  }
}
