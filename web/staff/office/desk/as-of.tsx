import type { ReactNode } from 'react';
import x from '../../../kit/design/text.module.css';
import { useSearchParams } from '../../../kit/router/router';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import { momentOf } from '../products/changes';
import { deskTexts as w } from '../texts/ru';
import d from './desk.module.css';

/** The moment of the address at which a screen shows its thing, as `at`: a time or a position of the log; empty is now. */
export const useAt = (): string => useSearchParams()[0].get('at') ?? '';

export type Then = (to: string) => string;

/** Leads to an address at the moment of the present one. */
export function useThen(): Then {
  const at = useAt();
  return (to) => (at ? `${to}${to.includes('?') ? '&' : '?'}at=${encodeURIComponent(at)}` : to);
}

/** The moment as a call to the shop has it; nothing is now. */
export const asked = (at: string): { at?: string } => (at ? { at } : {});

/** How a query asks again by itself, unless it asks of the past, which stays as it is. */
export const unlessPast = <T extends object>(at: string, again: T): Partial<T> => (at ? {} : again);

const hoursOfAlmaty = 5;

/** A time as a field of a form has it, in the time of Almaty; empty for a position. */
const localOf = (at: string): string => {
  const time = at.includes('T') ? Date.parse(at) : Number.NaN;
  return Number.isNaN(time) ? '' : new Date(time + hoursOfAlmaty * 3_600_000).toISOString().slice(0, 16);
};

/** A form of something that can only be read while the address names a moment of the past. */
export function Still({ name, children }: { name: string; children: ReactNode }) {
  const past = useAt() !== '';
  return (
    <fieldset className={d.still} disabled={past}>
      <legend className={x.hidden}>{name}</legend>
      {children}
    </fieldset>
  );
}

/** What the past does not have, such as the button that publishes. */
export const Now = ({ children }: { children: ReactNode }) => (useAt() ? null : children);

/** Leaves the moment of the address, for another or for now. */
function useShow() {
  const [address, setAddress] = useSearchParams();
  return (moment?: string) => {
    const next = new URLSearchParams(address);
    if (moment) next.set('at', moment);
    else next.delete('at');
    setAddress(next, { replace: true });
  };
}

/** Says on a screen without a past that it shows the present, when the address names a moment. */
export function OnlyNow() {
  const at = useAt();
  const show = useShow();
  if (!at) return null;
  return (
    <div className={d.onlyNow}>
      <p role="status">{w.onlyNow}</p>
      <Action onClick={() => show()}>{w.toNow}</Action>
    </div>
  );
}

/** Chooses the moment, and says that what is on the screen is of the past. */
export function AsOf() {
  const at = useAt();
  const show = useShow();
  return (
    <div className={d.asOf}>
      <label className={f.field}>
        {w.asOf}
        <input
          type="datetime-local"
          value={localOf(at)}
          onChange={({ target }) => show(momentOf(target.value))}
        />
      </label>
      <p role="status">{at ? w.past : ''}</p>
      {at ? <Action onClick={() => show()}>{w.toNow}</Action> : null}
    </div>
  );
}
