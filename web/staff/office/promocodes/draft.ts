import type { ItemResult } from '../products/changes';
import type { PromocodeSheet, Terms } from './queries';

/** Something that a code is for, by its name. */
export type Part = { id: string; name: string };

/** A code's terms as a form has them: texts. */
export type Draft = {
  kind: Terms['kind'];
  value: string;
  max: string;
  min: string;
  from: string;
  until: string;
  uses: string;
  perCustomer: string;
  categories: string[];
  brands: string[];
  products: Part[];
  groups: string[];
};

export const emptyDraft: Draft = {
  kind: 'percent',
  value: '10',
  max: '',
  min: '',
  from: '',
  until: '',
  uses: '',
  perCustomer: '',
  categories: [],
  brands: [],
  products: [],
  groups: [],
};

const day = (at: string | null) =>
  at ? new Date(new Date(at).getTime() + 5 * 3_600_000).toISOString().slice(0, 10) : '';
const text = (n: number) => (n > 0 ? String(n) : '');

/** The form of a code that is there. */
export const draftOf = (code: PromocodeSheet): Draft => ({
  kind: code.kind,
  value: String(code.value),
  max: text(code.max_discount),
  min: text(code.min_sum),
  from: day(code.valid_from),
  until: day(code.valid_until),
  uses: text(code.uses),
  perCustomer: text(code.uses_per_user),
  categories: code.categories,
  brands: code.brands,
  products: code.scope.filter(({ kind }) => kind === 'product').map(({ id, name }) => ({ id, name })),
  groups: code.groups,
});

/** What a form means: days begin at midnight in Almaty. */
export const termsOf = (draft: Draft): Terms => ({
  kind: draft.kind,
  value: Number(draft.value),
  min_sum: Number(draft.min),
  uses: Number(draft.uses),
  uses_per_user: Number(draft.perCustomer),
  ...(draft.from ? { valid_from: `${draft.from}T00:00:00+05:00` } : {}),
  ...(draft.until ? { valid_until: `${draft.until}T00:00:00+05:00` } : {}),
  ...(draft.kind === 'percent' && draft.max ? { max_discount: Number(draft.max) } : {}),
  ...(draft.categories.length > 0 ? { categories: draft.categories } : {}),
  ...(draft.brands.length > 0 ? { brands: draft.brands } : {}),
  ...(draft.products.length > 0 ? { products: draft.products.map(({ id }) => id) } : {}),
  ...(draft.groups.length > 0 ? { groups: draft.groups } : {}),
});

/** Whether a form can be proposed. */
export const isWhole = ({ kind, value }: Draft) =>
  Number(value) >= 1 && (kind === 'fixed' || Number(value) <= 100);

/** The field that cannot be as it is typed; empty: none. */
export const wrongTyped = ({ kind, value }: Draft) =>
  kind === 'percent' && Number(value) > 100 ? 'value' : '';

/** Whether a code can be issued so. */
export const isCode = (code: string) => /^\S{1,64}$/.test(code.trim());

/** The field of the terms that was refused first; empty: none was. */
export const wrongField = (results: ItemResult[]): string => {
  const refused = results.find(
    ({ code }) => code === 'promocode/bad-terms' || code === 'promocode/bad-scope',
  );
  return refused?.detail.split(': ')[0] ?? '';
};
