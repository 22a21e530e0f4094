import { Problem } from '../../../kit/api/problem';
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

/** What a file would change; nothing is written. Hear which share of it is read, from 0 to 1. */
export async function planOf(
  file: Blob,
  matched: Matched,
  signal: AbortSignal,
  hear: (share: number) => void,
): Promise<ImportPlan> {
  const columns = Object.keys(matched).length > 0 ? { columns: JSON.stringify(matched) } : {};
  const { data, error, response } = await api.POST('/api/staff/imports/plan/', {
    params: { query: { progress: true, ...columns } },
    ...fileBody(file),
    parseAs: 'stream',
    signal,
  });
  if (!response.ok || !data) throw new Problem(response.status, error);
  let line: string[] = [];
  const text = new TextDecoder();
  const reader = data.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const [end = '', ...lines] = text.decode(read.value, { stream: true }).split('\n');
    line.push(end);
    for (const next of lines) {
      hear((JSON.parse(line.join('')) as { share: number }).share);
      line = [next];
    }
  }
  const said = JSON.parse(line.join('')) as ImportPlan | { detail: string };
  if ('detail' in said) throw new Problem(500, said);
  return said;
}

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
