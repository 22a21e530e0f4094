import { queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { asked } from '../desk/as-of';
import { type Proposal, propose } from '../products/changes';
import { alike } from '../products/fields';
import { rowsBetween } from '../products/queries';
import { none } from './place';

export type Entry = components['schemas']['CatalogEntry'];
export type Kind = 'category' | 'brand' | 'mark';
export type Item = Proposal['items'][number];

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
export type Values = {
  name: string;
  nameKazakh: string;
  link: string;
  description: string;
  descriptionKazakh: string;
  parent_id: string;
};

/** The fields of an entry that a form shows, as changes know them. A brand's name is the same in all languages. */
const fieldsOf = (kind: Kind, entry: Entry): Record<string, unknown> => ({
  ...entry,
  parent_id: entry.parent_id ?? none,
  ...(kind === 'brand' ? { description_kk: entry.kazakh.description } : {}),
});

/** What makes an entry be as a form says: one item for each field that differs, or the whole of a new one. */
export function itemsOf(kind: Kind, entry: Entry | undefined, values: Values, order: number): Item[] {
  const now: Record<string, unknown> = {
    name: values.name.trim(),
    description: values.description,
    ...(kind === 'brand'
      ? { description_kk: values.descriptionKazakh }
      : { kazakh: { name: values.nameKazakh.trim(), description: values.descriptionKazakh } }),
    ...(kind === 'mark' ? {} : { link: values.link.trim() }),
    ...(kind === 'category' ? { parent_id: values.parent_id || none } : {}),
  };
  if (!entry) {
    const whole = kind === 'category' ? { ...now, order } : now;
    return [{ thing: kind, id: crypto.randomUUID(), field: 'whole', was: null, now: whole }];
  }
  const was = fieldsOf(kind, entry);
  return Object.entries(now).flatMap(([field, value]) =>
    alike(was[field], value) ? [] : [{ thing: kind, id: entry.id, field, was: was[field], now: value }],
  );
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
