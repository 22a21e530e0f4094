import * as z from 'zod/mini';
import { partsTexts } from '../../texts/ru';
import type { Rules } from '../api/types';
import { whatIfTexts } from '../texts/ru';

/** Rules that are one whole number each. */
export type NumberRule = {
  [Name in keyof Rules]: Rules[Name] extends number ? Name : never;
}[keyof Rules];

/** What is asked for of a rule, and the unit behind its label. To add one: a line here and its label in the texts. */
type Asked = { rule: NumberRule; unit?: () => string };

/** The rules that an order's price depends on, beside tiers and delivery. */
export const priceRules: Asked[] = [
  { rule: 'minimum_sum', unit: () => '₸' },
  { rule: 'bonus_spend_percent', unit: () => '%' },
];

/** The rest of a rules file, which changes no price. */
export const otherRules: Asked[] = [
  { rule: 'bonus_earn_percent', unit: () => '%' },
  { rule: 'max_per_order' },
  { rule: 'card_minutes', unit: () => whatIfTexts.units.minutes },
  { rule: 'kaspi_minutes', unit: () => whatIfTexts.units.minutes },
  { rule: 'new_days', unit: () => whatIfTexts.units.days },
  { rule: 'same_day_until', unit: () => whatIfTexts.units.oclock },
  { rule: 'guest_open_orders' },
  { rule: 'guest_open_pieces' },
  { rule: 'customer_open_orders' },
  { rule: 'customer_open_pieces' },
  { rule: 'network_open_orders' },
  { rule: 'network_open_pieces' },
  { rule: 'cash_hours', unit: () => whatIfTexts.units.workingHours },
  { rule: 'guest_months', unit: () => whatIfTexts.units.months },
  { rule: 'hand_confirm_above', unit: () => '₸' },
  { rule: 'return_days', unit: () => whatIfTexts.units.days },
  { rule: 'low_stock' },
  { rule: 'approval_price_cut', unit: () => '%' },
  { rule: 'approval_products' },
  { rule: 'opens_at', unit: () => whatIfTexts.units.oclock },
  { rule: 'closes_at', unit: () => whatIfTexts.units.oclock },
];

const numbers = [...priceRules, ...otherRules].map(({ rule }) => rule);

const plain = (text: string) => text.replace(/[\s,]/g, '');

/** A whole number as one types it, with separators or without. */
const whole = () =>
  z.pipe(
    z.pipe(
      z.pipe(z.string(), z.transform(plain)),
      z.string().check(z.regex(/^\d{1,15}$/, { error: () => partsTexts.mustBeWhole })),
    ),
    z.transform(Number),
  );
type Whole = ReturnType<typeof whole>;

/** What the form says: texts on their way in, rules on their way out. */
export const schema = z.object({
  tiers: z.array(z.object({ from: whole(), percent: whole() })),
  ...(Object.fromEntries(numbers.map((rule) => [rule, whole()])) as Record<NumberRule, Whole>),
  delivery: z.array(
    z.object({
      city: z.string().check(z.trim()),
      aliases: z.pipe(
        z.string(),
        z.transform((text: string) =>
          text
            .split(',')
            .map((one) => one.trim())
            .filter(Boolean),
        ),
      ),
      price: whole(),
      free_from: whole(),
    }),
  ),
  reviews_moderated: z.boolean(),
  promocode_proof: z.boolean(),
  approval_below_cost: z.boolean(),
  approval_rules: z.boolean(),
});

/** The rules as they are typed. */
export type Draft = z.input<typeof schema>;

export const draftOf = (rules: Rules): Draft => ({
  ...(Object.fromEntries(numbers.map((rule) => [rule, String(rules[rule])])) as Record<NumberRule, string>),
  tiers: rules.tiers.map(({ from, percent }) => ({ from: String(from), percent: String(percent) })),
  delivery: rules.delivery.map(({ city, aliases, price, free_from }) => ({
    city,
    aliases: (aliases ?? []).join(', '),
    price: String(price),
    free_from: String(free_from),
  })),
  reviews_moderated: rules.reviews_moderated,
  promocode_proof: rules.promocode_proof,
  approval_below_cost: rules.approval_below_cost,
  approval_rules: rules.approval_rules,
});

/** Tiers in the order that rules have them: by sum. */
export const ascending = (tiers: Draft['tiers']): Draft['tiers'] =>
  tiers.toSorted((a, b) => Number(plain(a.from)) - Number(plain(b.from)));

/** Which rules differ from others. */
export const changedRules = (rules: Rules, from: Rules): Partial<Rules> =>
  Object.fromEntries(
    Object.entries(rules).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(from[name as keyof Rules]),
    ),
  );

/**
 * Splits the server's error, such as `tiers[1].percent: A percent must be …`, into the form's field (`tiers.1.percent`)
 * and the message. The field is '' when the form has no such field.
 */
export function fieldError(said: string): { field: string; message: string } {
  const [, path = '', message = said] = /^([a-z_]+(?:\[\d+\])?(?:\.[a-z_]+)?): (.+)$/s.exec(said) ?? [];
  const field = path.replace(/\[(\d+)\]/, '.$1');
  // An error of a whole tier is shown at its sum.
  if (/^tiers\.\d+$/.test(field)) return { field: `${field}.from`, message };
  const known = /^(tiers|delivery)\.\d+\.[a-z_]+$/.test(field) || (numbers as string[]).includes(field);
  return known ? { field, message } : { field: '', message: path ? `${path}: ${message}` : message };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value has the shape of a sample. The first entry of a list is the sample of all its entries. */
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
  promocode_proof: false,
  approval_below_cost: false,
  approval_rules: false,
};

/** The rules with those of a file in their place; rules that the file leaves out stay. A string is what is wrong with the file. */
export function mergeFile(text: string, rules: Rules): Rules | string {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return whatIfTexts.notJson;
  }
  if (!isObject(said)) return whatIfTexts.notFields;
  const { version: _, ...given } = said;
  for (const [name, value] of Object.entries(given)) {
    if (!(name in rules)) return whatIfTexts.noSuchRule(name);
    if (!isLike(value, samples[name as keyof typeof samples] ?? 0)) return whatIfTexts.notLike(name);
  }
  return { ...rules, ...given };
}
