import type { FormEvent } from 'react';
import f from '../parts/field.module.css';
import { Action } from '../parts/parts';
import s from './parts.module.css';
import { findTexts } from './texts/ru';

/** Asks for a moment of the past; '' is now. */
export function AsItWas({ at, show }: { at: string; show: (at: string) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget).get('at') ?? '');
    show(given && new Date(given).toISOString());
  };
  return (
    <form key={at} className={s.asItWas} onSubmit={submit} aria-label={findTexts.moment}>
      <label className={f.field}>
        {findTexts.asItWasAt}
        <input name="at" type="datetime-local" step="1" defaultValue={localTime(at)} />
      </label>
      <Action type="submit">{findTexts.show}</Action>
      {at ? <Action onClick={() => show('')}>{findTexts.now}</Action> : null}
    </form>
  );
}

/** A moment as the browser's field wants it, in the viewer's zone. */
function localTime(at: string): string {
  const time = new Date(momentOf(at));
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** A time, one in Almaty when it names no zone, or the end of a day there, as on the command line; NaN: it is neither. */
export function momentOf(at: string): number {
  const [, day, time, zone = '+05:00'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(at) ?? [];
  return Date.parse(`${day}T${time ?? '23:59:59.999'}${zone}`);
}
