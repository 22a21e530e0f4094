import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import f from '../parts/field.module.css';
import { Action } from '../parts/parts';
import s from './parts.module.css';
import { findTexts } from './texts/ru';

/** A moment of the viewer's zone as the browser's field writes it, and in UTC on its way out; '' stays. */
const schema = z.object({
  at: z.pipe(
    z.string(),
    z.transform((at: string) => at && new Date(at).toISOString()),
  ),
});

/** Asks for a moment of the past; '' is now. */
export function MomentForm({ at, show }: { at: string; show: (at: string) => void }) {
  const form = useForm({ resolver: zodResolver(schema), values: { at: localTime(at) } });
  return (
    <form
      className={s.asItWas}
      onSubmit={form.handleSubmit(({ at }) => show(at))}
      aria-label={findTexts.moment}
      noValidate
    >
      <label className={f.field}>
        {findTexts.asItWasAt}
        <input {...form.register('at')} type="datetime-local" step="1" />
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
