import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import { type Asking, queries } from '../api/queries';
import type { ReportKind } from '../api/types';
import { reportTexts } from '../texts/ru';
import s from './reports.module.css';

/** What narrows a report. Everything stands in the address, so a report can be sent as a link. */
export function Filters({
  kind,
  asking,
  ask,
}: {
  kind: ReportKind;
  asking: Asking;
  ask: (next: Asking) => void;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    ask(Object.fromEntries([...given].map(([name, value]) => [name, String(value).trim()])));
  };
  const names = ['from', 'to', 'by', ...kind.filters];
  const narrowed = names.some((name) => asking[name]);
  return (
    <form
      key={names.map((name) => asking[name]).join('|')}
      className={s.filters}
      onSubmit={submit}
      aria-label={reportTexts.narrow}
    >
      <label className={f.field}>
        {reportTexts.fromLabel}
        <input type="date" name="from" defaultValue={asking.from ?? ''} />
      </label>
      <label className={f.field}>
        {reportTexts.toLabel}
        <input type="date" name="to" defaultValue={asking.to ?? ''} />
      </label>
      {kind.by.length > 1 ? (
        <label className={f.field}>
          {reportTexts.by}
          <select name="by" defaultValue={asking.by ?? kind.by[0]}>
            {kind.by.map((period) => (
              <option key={period} value={period}>
                {reportTexts.periods[period] ?? period}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {kind.filters.map((name) => (
        <Choice key={name} name={name} value={asking[name] ?? ''} />
      ))}
      <div className={s.apply}>
        <Action type="submit" kind="strong">
          {reportTexts.show}
        </Action>
        {narrowed ? <Action onClick={() => ask({})}>{reportTexts.everything}</Action> : null}
      </div>
    </form>
  );
}

function Choice({ name, value }: { name: string; value: string }) {
  const listed = name === 'category' || name === 'brand';
  const { data } = useQuery({
    ...queries.names(name === 'brand' ? 'brands' : 'categories'),
    enabled: listed,
  });
  const label = reportTexts.filters[name] ?? name;
  if (!listed && name !== 'payment')
    return (
      <label className={f.field}>
        {label}
        <input name={name} defaultValue={value} autoComplete="off" />
      </label>
    );
  const options = name === 'payment' ? Object.entries(reportTexts.payments) : (data ?? []);
  return (
    <label className={f.field}>
      {label}
      {/* The names arrive after the value that stands in the address. */}
      <select key={options.length} name={name} defaultValue={value}>
        <option value="">{reportTexts.all}</option>
        {options.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
        {value && !options.some(([id]) => id === value) ? <option value={value}>{value}</option> : null}
      </select>
    </label>
  );
}
