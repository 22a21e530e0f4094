import { queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { asked } from '../desk/as-of';
import { type Proposal, propose } from '../products/changes';
import { rowsBetween } from '../products/queries';

export type Entry = components['schemas']['CatalogEntry'];
export type Kind = 'category' | 'brand' | 'mark';
type Item = Proposal['items'][number];

export const entryQueries = {
  list: (kind: Kind, at = '') =>
    queryOptions({
      queryKey: ['office', 'entries', kind, at],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/staff/catalog/{kind}/', { params: { path: { kind }, query: asked(at) }, signal }),
        ),
    }),
};

/** What a form of an entry holds. */
export type Values = { name: string; link: string; description: string; parent_id: string };

const none = '00000000-0000-0000-0000-000000000000';

/** What makes an entry be as a form says: one item for each field that differs, or the whole of a new one. */
export function itemsOf(kind: Kind, entry: Entry | undefined, values: Values, order: number): Item[] {
  const now: Record<string, unknown> = {
    name: values.name.trim(),
    description: values.description,
    ...(kind === 'mark' ? {} : { link: values.link.trim() }),
    ...(kind === 'category' ? { parent_id: values.parent_id || none } : {}),
  };
  if (!entry) {
    const whole = kind === 'category' ? { ...now, order } : now;
    return [{ thing: kind, id: crypto.randomUUID(), field: 'whole', was: null, now: whole }];
  }
  const was: Record<string, unknown> = { ...entry, parent_id: entry.parent_id ?? none };
  return Object.entries(now).flatMap(([field, value]) =>
    was[field] === value ? [] : [{ thing: kind, id: entry.id, field, was: was[field], now: value }],
  );
}

/** Entries of one parent in another order: those whose number changes. */
export function reordered(siblings: Entry[], at: number, by: number): Item[] {
  const next = [...siblings];
  const [one] = next.splice(at, 1);
  if (one) next.splice(at + by, 0, one);
  return next.flatMap(({ id, order }, n) =>
    order === n + 1 ? [] : [{ thing: 'category', id, field: 'order', was: order, now: n + 1 }],
  );
}

/** The tree as a list, each entry with its depth and those beside it. */
export function treeOf(entries: Entry[]) {
  const known = new Set(entries.map(({ id }) => id));
  const under = (parent: string | null): Entry[] =>
    entries.filter(({ parent_id }) => (parent_id && known.has(parent_id) ? parent_id : null) === parent);
  const rows: { entry: Entry; depth: number; siblings: Entry[] }[] = [];
  const walk = (parent: string | null, depth: number) => {
    const siblings = under(parent);
    for (const entry of siblings) {
      rows.push({ entry, depth, siblings });
      if (depth < 8) walk(entry.id, depth + 1);
    }
  };
  walk(null, 0);
  return rows;
}

const fieldOf = { category: 'category_id', brand: 'brand_id' } as const;

/** Takes an entry out of the catalog; its products go to another category or brand first, in the same change. */
export async function archive(kind: Kind, entry: Entry, to: string | null, title: string) {
  const items: Item[] = [];
  if (kind !== 'mark' && entry.products > 0) {
    const field = fieldOf[kind];
    const rows = await rowsBetween({ [kind]: entry.id, state: 'active' }, 0, 10_000);
    for (const row of rows) {
      if (row[field] === entry.id)
        items.push({ thing: 'product', id: row.id, field, was: entry.id, now: to });
    }
  }
  items.push({ thing: kind, id: entry.id, field: 'archived', was: false, now: true });
  return propose({ title, items });
}

export const restore = (kind: Kind, entry: Entry, title: string) =>
  propose({ title, items: [{ thing: kind, id: entry.id, field: 'archived', was: true, now: false }] });
