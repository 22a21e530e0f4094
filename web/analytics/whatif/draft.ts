import type { Rules } from '../api/types';

/** Rules that are one whole number each. */
type NumberRule = {
  [Name in keyof Rules]: Rules[Name] extends number ? Name : never;
}[keyof Rules];

/** What is asked for of a rule: its label, and the unit behind it. */
type Asked = { rule: NumberRule; label: string; unit?: string };

/** The rules that an order's price depends on, beside tiers and delivery. */
export const priceRules: Asked[] = [
  { rule: 'minimum_sum', label: 'Minimum order sum', unit: '₸' },
  { rule: 'bonus_spend_percent', label: 'Bonuses pay at most', unit: '%' },
];

/** The rest of a rules file, which changes no price. */
export const otherRules: Asked[] = [
  { rule: 'bonus_earn_percent', label: 'Bonuses earned', unit: '%' },
  { rule: 'max_per_order', label: 'Most pieces of a product' },
  { rule: 'card_minutes', label: 'Card payments wait', unit: 'minutes' },
  { rule: 'kaspi_minutes', label: 'Kaspi bills wait', unit: 'minutes' },
  { rule: 'new_days', label: 'Products are new for', unit: 'days' },
  { rule: 'same_day_until', label: 'Same day before', unit: 'o’clock' },
  { rule: 'guest_open_orders', label: 'Open orders of a guest' },
  { rule: 'guest_open_pieces', label: 'Pieces in them' },
  { rule: 'customer_open_orders', label: 'Open orders of a customer' },
  { rule: 'customer_open_pieces', label: 'Pieces in a customer’s' },
  { rule: 'network_open_orders', label: 'Open orders of a network' },
  { rule: 'network_open_pieces', label: 'Pieces in a network’s' },
  { rule: 'cash_hours', label: 'Guests’ cash orders wait', unit: 'working hours' },
  { rule: 'opens_at', label: 'Work begins', unit: 'o’clock' },
  { rule: 'closes_at', label: 'Work ends', unit: 'o’clock' },
];

/** A row of a list in the form, with a key that stays its own while rows come and go. */
export type Kept<T> = T & { key: number };
export type Tier = { from: string; percent: string };
export type City = { city: string; aliases: string; price: string; free_from: string };

/** The rules as they are typed. */
export type Draft = Record<NumberRule, string> & {
  tiers: Kept<Tier>[];
  delivery: Kept<City>[];
  reviews_moderated: boolean;
};

/** What is wrong, by the path of its field in a rules file, such as `tiers[0].from`; empty: of no one field. */
export type Faults = Record<string, string>;

let keys = 0;
export const kept = <T>(row: T): Kept<T> => ({ ...row, key: keys++ });

const numbers = [...priceRules, ...otherRules].map(({ rule }) => rule);

export const draftOf = (rules: Rules): Draft => ({
  ...(Object.fromEntries(numbers.map((rule) => [rule, String(rules[rule])])) as Record<NumberRule, string>),
  tiers: rules.tiers.map(({ from, percent }) => kept({ from: String(from), percent: String(percent) })),
  delivery: rules.delivery.map(({ city, aliases, price, free_from }) =>
    kept({
      city,
      aliases: (aliases ?? []).join(', '),
      price: String(price),
      free_from: String(free_from),
    }),
  ),
  reviews_moderated: rules.reviews_moderated,
});

const plain = (text: string) => text.replace(/[\s,]/g, '');

/** Tiers in the order that rules have them: by sum. */
export const ascending = (draft: Draft): Draft => ({
  ...draft,
  tiers: draft.tiers.toSorted((a, b) => Number(plain(a.from)) - Number(plain(b.from))),
});

/** The rules that a draft says, and the fields that are no whole numbers. */
export function rulesOf(draft: Draft): { rules: Rules; faults: Faults } {
  const faults: Faults = {};
  const number = (text: string, field: string) => {
    if (!/^\d{1,15}$/.test(plain(text))) faults[field] = 'Must be a whole number.';
    return Number(plain(text));
  };
  const rules: Rules = {
    tiers: draft.tiers.map(({ from, percent }, at) => ({
      from: number(from, `tiers[${at}].from`),
      percent: number(percent, `tiers[${at}].percent`),
    })),
    ...(Object.fromEntries(numbers.map((rule) => [rule, number(draft[rule], rule)])) as Record<
      NumberRule,
      number
    >),
    delivery: draft.delivery.map(({ city, aliases, price, free_from }, at) => ({
      city: city.trim(),
      aliases: aliases
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean),
      price: number(price, `delivery[${at}].price`),
      free_from: number(free_from, `delivery[${at}].free_from`),
    })),
    reviews_moderated: draft.reviews_moderated,
  };
  return { rules, faults };
}

/** Which rules differ from others. */
export const differing = (rules: Rules, from: Rules): Partial<Rules> =>
  Object.fromEntries(
    Object.entries(rules).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(from[name as keyof Rules]),
    ),
  );

/** What the shop said of rules, `tiers[1].percent: A percent must be …`, by the field that it is about. */
export function faultsOf(said: string): Faults {
  const [, field = '', message = said] = /^([a-z_]+(?:\[\d+\])?(?:\.[a-z_]+)?): (.+)$/s.exec(said) ?? [];
  // A tier as a whole is told at its sum.
  return { [/^tiers\[\d+\]$/.test(field) ? `${field}.from` : field]: message };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value has the shape of another; of a list its first row says what all are like. */
function isLike(value: unknown, sample: unknown): boolean {
  if (Array.isArray(sample))
    return Array.isArray(value) && (sample.length === 0 || value.every((one) => isLike(one, sample[0])));
  if (isObject(sample))
    return (
      isObject(value) &&
      Object.keys(value).every((name) => name in sample) &&
      Object.entries(sample).every(([name, of]) => isLike(value[name], of))
    );
  return typeof value === typeof sample;
}

const samples = {
  tiers: [{ from: 0, percent: 0 }],
  delivery: [{ city: '', aliases: [''], price: 0, free_from: 0 }],
  reviews_moderated: false,
};

/** The rules of a file over others: what it leaves out stays. A string says what is wrong with it. */
export function fileOver(text: string, rules: Rules): Rules | string {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return 'The file must be JSON, as “Save as a file” and shop rules show --format json write it.';
  }
  if (!isObject(said)) return 'The file must have fields of the rules.';
  const { version: _, ...given } = said;
  for (const [name, value] of Object.entries(given)) {
    if (!(name in rules)) return `${name}: there is no such rule.`;
    if (!isLike(value, samples[name as keyof typeof samples] ?? 0))
      return `${name}: is not what a rule says there.`;
  }
  return { ...rules, ...given };
}
