import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { type UseFormRegisterReturn, useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import f from '../../parts/field.module.css';
import q from '../../parts/filters.module.css';
import { Action } from '../../parts/parts';
import { type Asking, queries } from '../api/queries';
import type { ReportKind } from '../api/types';
import { reportTexts } from '../texts/ru';

/** Which filters there are, the report says. */
const schema = z.record(z.string(), z.string().check(z.trim()));

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
  const names = ['from', 'to', 'by', ...kind.filters];
  const narrowed = names.some((name) => asking[name]);
  const form = useForm<Record<string, string>>({
    resolver: zodResolver(schema),
    values: {
      from: asking.from ?? '',
      to: asking.to ?? '',
      ...(kind.by.length > 1 ? { by: asking.by ?? kind.by[0] ?? '' } : {}),
      ...Object.fromEntries(kind.filters.map((name) => [name, asking[name] ?? ''])),
    },
  });
  return (
    <form className={q.filters} onSubmit={form.handleSubmit(ask)} aria-label={reportTexts.narrow} noValidate>
      <label className={f.field}>
        {reportTexts.fromLabel}
        <input type="date" {...form.register('from')} />
      </label>
      <label className={f.field}>
        {reportTexts.toLabel}
        <input type="date" {...form.register('to')} />
      </label>
      {kind.by.length > 1 ? (
        <label className={f.field}>
          {reportTexts.by}
          <select {...form.register('by')}>
            {kind.by.map((period) => (
              <option key={period} value={period}>
                {reportTexts.periods[period] ?? period}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {kind.filters.map((name) => (
        <Choice key={name} input={form.register(name)} value={asking[name] ?? ''} />
      ))}
      <div className={q.apply}>
        <Action type="submit" kind="strong">
          {reportTexts.show}
        </Action>
        {narrowed ? <Action onClick={() => ask({})}>{reportTexts.everything}</Action> : null}
      </div>
    </form>
  );
}

function Choice({ input, value }: { input: UseFormRegisterReturn; value: string }) {
  const { name } = input;
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
        <input {...input} autoComplete="off" />
      </label>
    );
  const options = name === 'payment' ? Object.entries(reportTexts.payments) : (data ?? []);
  return (
    <label className={f.field}>
      {label}
      {/* The names arrive after the value that stands in the address. */}
      <select key={options.length} {...input}>
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
