import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { done } from '../../../kit/api/answer';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { api, search, words } from '../../api/client';
import { useMay } from '../../me';
import f from '../../parts/field.module.css';
import { Action, Head, Loaded, Nothing, Section } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import { queries } from '../api/queries';
import type { DataSet } from '../api/types';
import { dataWords } from '../texts/data-ru';
import { screenTexts, takeAwayTexts } from '../texts/ru';
import s from './take-away.module.css';

export function TakeAway() {
  const found = useQuery(queries.dataSets());
  return (
    <>
      <Head title={screenTexts.takeAway} lead={takeAwayTexts.lead} />
      <Loaded query={found} what={takeAwayTexts.what}>
        {(sets) =>
          sets.length === 0 ? (
            <Nothing title={takeAwayTexts.none} />
          ) : (
            sets.map((set) => <OneSet key={set.name} set={set} />)
          )
        }
      </Loaded>
    </>
  );
}

/** What of a set is taken; '' is all of it. Browsers without a field for months have one for text. */
const schema = z.object({
  format: z.string(),
  month: z.string().check(z.trim(), z.regex(/^(\d{4}-\d\d)?$/, { error: () => takeAwayTexts.monthWrong })),
  from_position: z
    .string()
    .check(z.trim(), z.regex(/^([1-9]\d*)?$/, { error: () => takeAwayTexts.positionWrong })),
  unmasked: z.pipe(
    z.boolean(),
    z.transform((wanted: boolean) => (wanted ? '1' : '')),
  ),
});

function OneSet({ set: { name, about, columns, formats } }: { set: DataSet }) {
  const personal = useMay('personal.see');
  const [asked, setAsked] = useState(false);
  const form = useForm({
    resolver: zodResolver(schema),
    defaultValues: { format: formats[0] ?? '', month: '', from_position: '', unmasked: false },
  });
  const { month, from_position: position } = form.formState.errors;
  const submit = form.handleSubmit(
    async (given) => {
      // The browser asks for the file itself, so whether the second factor is needed is asked before.
      if (given.unmasked) {
        try {
          await done(api.GET('/api/staff/me/step-up/'));
        } catch (failure) {
          return form.setError('root', { message: words(failure) });
        }
      }
      const file = document.createElement('a');
      file.href = `/api/analytics/datasets/${encodeURIComponent(name)}/${search(given)}`;
      file.download = '';
      file.click();
      setAsked(true);
    },
    () => setAsked(false),
  );
  return (
    <Section title={name}>
      <p className={s.about}>{dataWords.sets[name] ?? about}</p>
      <form className={s.form} onSubmit={submit} aria-label={takeAwayTexts.take(name)} noValidate>
        <label className={f.field}>
          {takeAwayTexts.format}
          <select {...form.register('format')}>
            {formats.map((format) => (
              <option key={format}>{format}</option>
            ))}
          </select>
        </label>
        <label className={f.field}>
          {takeAwayTexts.month}
          <input
            type="month"
            {...form.register('month')}
            placeholder="2026-03"
            aria-invalid={month ? true : undefined}
          />
        </label>
        <label className={f.field}>
          {takeAwayTexts.position}
          <input
            {...form.register('from_position')}
            inputMode="numeric"
            placeholder={takeAwayTexts.everything}
            aria-invalid={position ? true : undefined}
          />
        </label>
        {personal ? (
          <label className={s.check}>
            <input type="checkbox" {...form.register('unmasked')} /> {takeAwayTexts.personal}
          </label>
        ) : null}
        <Action type="submit" kind="strong">
          {takeAwayTexts.download}
        </Action>
        <p role="alert" className={s.wrong}>
          {month?.message ?? position?.message ?? form.formState.errors.root?.message}
        </p>
        <p role="status" className={s.asked}>
          {asked ? takeAwayTexts.coming : ''}
        </p>
      </form>
      <details className={s.columns}>
        <summary>{countTexts.columns(columns.length)}</summary>
        <Table
          caption={takeAwayTexts.columnsOf(name)}
          columns={tableColumns(name)}
          rows={columns}
          rowKey={(column) => column.name}
        />
      </details>
    </Section>
  );
}

const tableColumns = (set: string): Column<DataSet['columns'][number]>[] => [
  {
    key: 'name',
    title: takeAwayTexts.column,
    cell: ({ name }) => <code className={t.mono}>{name}</code>,
  },
  { key: 'type', title: takeAwayTexts.type, cell: ({ type }) => dataWords.types[type] ?? type },
  {
    key: 'about',
    title: takeAwayTexts.about,
    cell: ({ name, about }) => dataWords.columns[`${set}.${name}`] ?? dataWords.columns[name] ?? about,
  },
];
