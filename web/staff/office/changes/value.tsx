import { isRecord } from '../../../kit/api/problem';
import x from '../../../kit/design/text.module.css';
import { money } from '../../parts/format';
import s from './changes.module.css';
import { changeTexts as w } from './texts/ru';

/** A value as people read it: a text as it is, an object by its members. */
export function said(value: unknown): string {
  if (value === null || value === undefined || value === '') return w.nothing;
  if (value === true) return w.yes;
  if (value === false) return w.no;
  if (Array.isArray(value)) return value.length === 0 ? w.nothing : value.map(said).join('; ');
  if (isRecord(value)) {
    if (typeof value.price === 'number' && typeof value.discounted_price === 'number')
      return value.price === value.discounted_price
        ? money(value.price)
        : w.instead(money(value.discounted_price), money(value.price));
    if (typeof value.src === 'string') return value.src;
    return Object.entries(value)
      .filter(([, member]) => member !== '' && member !== null)
      .map(([name, member]) => `${name}: ${said(member)}`)
      .join(', ');
  }
  return String(value);
}

/** Of two objects, such as all rules, the members that differ. */
export function apart(was: unknown, now: unknown): [unknown, unknown] {
  if (!isRecord(was) || !isRecord(now) || 'discounted_price' in now || 'src' in now) return [was, now];
  const differ = Object.keys({ ...was, ...now }).filter(
    (name) => JSON.stringify(was[name]) !== JSON.stringify(now[name]),
  );
  const only = (all: Record<string, unknown>) => Object.fromEntries(differ.map((name) => [name, all[name]]));
  return differ.length === 0 ? [was, now] : [only(was), only(now)];
}

/** What a field was and what it is to be, unless the role may not see that. */
export function WasNow({ was: before, now: after, hidden }: { was: unknown; now: unknown; hidden: boolean }) {
  if (hidden) return <span>{w.hidden}</span>;
  const [was, now] = apart(before, after);
  return (
    <span className={s.values}>
      <del>
        <span className={x.hidden}>{w.was} </span>
        {said(was)}
      </del>{' '}
      <span aria-hidden="true">→</span>{' '}
      <ins>
        <span className={x.hidden}>{w.now} </span>
        {said(now)}
      </ins>
    </span>
  );
}

/** A field of a thing by its name. */
export const fieldName = (field: string): string => w.fields[field as keyof typeof w.fields] ?? field;

/** A sort of thing by its name. */
export const thingName = (thing: string): string => w.things[thing as keyof typeof w.things] ?? thing;
