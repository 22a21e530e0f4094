import { useQuery } from '@tanstack/react-query';
import { isRecord } from '../../../kit/api/problem';
import x from '../../../kit/design/text.module.css';
import { useMay } from '../../me';
import { almatyDay, almatyMoment, count, money, signed } from '../../parts/format';
import { productQueries } from '../products/queries';
import s from './changes.module.css';
import { nameTexts as n } from './texts/names-ru';
import { changeTexts as w } from './texts/ru';

/** How a number of a field is written. */
type Unit = 'money' | 'percent' | keyof typeof n.units;
const units: Record<string, Unit> = {
  price: 'money',
  discounted_price: 'money',
  cost: 'money',
  minimum_sum: 'money',
  hand_confirm_above: 'money',
  from: 'money',
  free_from: 'money',
  min_sum: 'money',
  max_discount: 'money',
  discount: 'percent',
  percent: 'percent',
  bonus_spend_percent: 'percent',
  bonus_earn_percent: 'percent',
  approval_price_cut: 'percent',
  card_minutes: 'minutes',
  kaspi_minutes: 'minutes',
  cash_hours: 'hours',
  new_days: 'days',
  return_days: 'days',
  guest_months: 'months',
  same_day_until: 'clock',
  opens_at: 'clock',
  closes_at: 'clock',
  on_hand: 'pieces',
  low_line: 'pieces',
  low_stock: 'pieces',
  max_per_order: 'pieces',
  guest_open_pieces: 'pieces',
  customer_open_pieces: 'pieces',
  network_open_pieces: 'pieces',
  weight: 'grams',
  length: 'millimetres',
  width: 'millimetres',
  height: 'millimetres',
};

/** The number of a field with its unit. */
function number(value: number, field: string): string {
  const unit = units[field];
  if (unit === 'money') return money(value);
  if (unit === 'percent') return percentOf(value);
  return unit ? n.units[unit](count(value)) : count(value);
}

const percentOf = (value: number) => `${count(value)}\u00a0%`;

/** Fields whose values are ids of categories, brands or marks. */
const named = ['category_id', 'brand_id', 'parent_id', 'marks', 'categories', 'brands'];
const nobody = '00000000-0000-0000-0000-000000000000';

/** What an id of the catalog is called; the id where that is not known. */
type Called = (id: string) => string;
const byId: Called = (id) => id;

/** The names of categories, brands and marks, for whoever may see the catalog; asked for where a value needs them. */
export function useCalled(fields: string[]): Called {
  const sees = useMay('catalog.see');
  const { data } = useQuery({ ...productQueries.groups(), enabled: sees && fields.some(needsNames) });
  if (!data) return byId;
  const names = new Map(
    [...data.categories, ...data.brands, ...data.marks].map(({ id, name }) => [id, name]),
  );
  return (id) => names.get(id) ?? id;
}

const needsNames = (field: string) => named.includes(field) || ['whole', 'added', 'terms'].includes(field);

/** A value of a field as people read it. */
export function said(value: unknown, field = '', called: Called = byId): string {
  if (value === null || value === undefined || value === '' || value === nobody) return w.nothing;
  if (value === true) return w.yes;
  if (value === false) return w.no;
  if (typeof value === 'number')
    return field === 'no_delivery' ? (n.weekdays[value - 1] ?? count(value)) : number(value, field);
  if (Array.isArray(value))
    return value.length === 0 ? w.nothing : value.map((one) => said(one, field, called)).join('; ');
  if (isRecord(value)) return object(value, called);
  const text = String(value);
  if (named.includes(field)) return called(text);
  if (field === 'kind') return n.kinds[text] ?? text;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return almatyMoment(text);
  if (field === 'date' && /^\d{4}-\d\d-\d\d$/.test(text)) return almatyDay(text);
  return text;
}

/** Some objects are said in one phrase, others by their members. */
function object(value: Record<string, unknown>, called: Called): string {
  const { price, discounted_price, src, from, percent, city, free_from, aliases, address, text } = value;
  if (typeof price === 'number' && typeof discounted_price === 'number' && Object.keys(value).length === 2)
    return price === discounted_price ? money(price) : w.instead(money(discounted_price), money(price));
  if (typeof src === 'string') return src;
  if (typeof from === 'number' && typeof percent === 'number') return n.tier(money(from), percentOf(percent));
  if (typeof city === 'string' && typeof price === 'number' && typeof free_from === 'number') {
    const also = Array.isArray(aliases) && aliases.length > 0 ? ` (${aliases.join(', ')})` : '';
    return n.cityPrice(`${city}${also}`, money(price), money(free_from));
  }
  if (typeof address === 'string' && isRecord(text)) return `${object(text, called)} → ${address}`;
  return Object.entries(value)
    .filter(([, member]) => member !== '' && member !== null)
    .map(([name, member]) => `${fieldName(name)}: ${memberOf(value, name, member, called)}`)
    .join(', ');
}

/** A member of an object; the size of a discount goes by its kind. */
function memberOf(whole: Record<string, unknown>, name: string, member: unknown, called: Called): string {
  if (name === 'value' && typeof member === 'number')
    return whole.kind === 'percent' ? percentOf(member) : money(member);
  return said(member, name, called);
}

/** Of two objects, such as all rules, the members that differ. */
export function apart(was: unknown, now: unknown): [unknown, unknown] {
  if (!isRecord(was) || !isRecord(now) || 'discounted_price' in now || 'src' in now) return [was, now];
  const differ = Object.keys({ ...was, ...now }).filter(
    (name) => JSON.stringify(was[name]) !== JSON.stringify(now[name]),
  );
  const only = (all: Record<string, unknown>) =>
    // How much a discount is says its kind.
    Object.fromEntries(
      (differ.includes('value') ? ['kind', ...differ] : differ).map((name) => [name, all[name]]),
    );
  return differ.length === 0 ? [was, now] : [only(was), only(now)];
}

type Values = { was: unknown; now: unknown; field: string; hidden?: boolean };

/** What a field was and what it is to be, unless the role may not see that. What moves says by how much. */
export function WasNow({ was: before, now: after, field, hidden = false }: Values) {
  const called = useCalled([field]);
  if (hidden) return <span>{w.hidden}</span>;
  const moved = movement(field, before, after);
  if (moved) return <ins className={s.moved}>{moved}</ins>;
  const [was, now] = apart(before, after);
  return (
    <span className={s.values}>
      <del>
        <span className={x.hidden}>{w.was} </span>
        {said(was, field, called)}
      </del>{' '}
      <span aria-hidden="true">→</span>{' '}
      <ins>
        <span className={x.hidden}>{w.now} </span>
        {said(now, field, called)}
      </ins>
    </span>
  );
}

/** By how many pieces a delivery moves the stock, whatever there is; empty: the field does not move. */
const movement = (field: string, was: unknown, now: unknown): string =>
  field === 'received' && typeof was === 'number' && typeof now === 'number'
    ? n.units.pieces(signed(now - was))
    : '';

/** A field of a thing by its name. */
export const fieldName = (field: string, thing = ''): string =>
  n.fields[`${thing}.${field}`] ?? n.fields[field] ?? field;

/** A sort of thing by its name. */
export const thingName = (thing: string): string => w.things[thing as keyof typeof w.things] ?? thing;

/** Why an item cannot be as asked. */
export function refusal({ code, detail }: { code: string; detail: string }): string {
  const text = n.refusals[code];
  const [, title, until] = /«(.*)» \([0-9a-f-]{36}\).*?(\d{4}-\d\d-\d\d \d\d:\d\d) UTC/.exec(detail) ?? [];
  if (text && title && until) return n.held(text, title, almatyMoment(`${until.replace(' ', 'T')}:00Z`));
  return text ?? detail;
}
