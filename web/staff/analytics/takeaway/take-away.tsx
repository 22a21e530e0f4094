import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { search } from '../../api/client';
import { useMay } from '../../me';
import f from '../../parts/field.module.css';
import { Action, Head, Loaded, Nothing, Section } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import { queries } from '../api/queries';
import type { DataSet } from '../api/types';
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

function OneSet({ set: { name, about, columns, formats } }: { set: DataSet }) {
  const personal = useMay('personal.see');
  const [wrong, setWrong] = useState('');
  const [asked, setAsked] = useState('');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = Object.fromEntries(
      [...new FormData(event.currentTarget)].map(([field, value]) => [field, String(value).trim()]),
    );
    setAsked('');
    // Browsers without a field for months have one for text.
    if (given.month && !/^\d{4}-\d\d$/.test(given.month)) return setWrong(takeAwayTexts.monthWrong);
    if (given.from_position && !/^[1-9]\d*$/.test(given.from_position))
      return setWrong(takeAwayTexts.positionWrong);
    setWrong('');
    const file = document.createElement('a');
    file.href = `/api/analytics/datasets/${encodeURIComponent(name)}/${search(given)}`;
    file.download = '';
    file.click();
    setAsked(takeAwayTexts.coming);
  };
  return (
    <Section title={name}>
      <p className={s.about}>{about}</p>
      <form className={s.form} onSubmit={submit} aria-label={takeAwayTexts.take(name)} noValidate>
        <label className={f.field}>
          {takeAwayTexts.format}
          <select name="format">
            {formats.map((format) => (
              <option key={format}>{format}</option>
            ))}
          </select>
        </label>
        <label className={f.field}>
          {takeAwayTexts.month}
          <input type="month" name="month" placeholder="2026-03" />
        </label>
        <label className={f.field}>
          {takeAwayTexts.position}
          <input name="from_position" inputMode="numeric" placeholder={takeAwayTexts.everything} />
        </label>
        {personal ? (
          <label className={s.check}>
            <input type="checkbox" name="unmasked" value="1" /> {takeAwayTexts.personal}
          </label>
        ) : null}
        <Action type="submit" kind="strong">
          {takeAwayTexts.download}
        </Action>
        <p role="alert" className={s.wrong}>
          {wrong}
        </p>
        <p role="status" className={s.asked}>
          {asked}
        </p>
      </form>
      <details className={s.columns}>
        <summary>{countTexts.columns(columns.length)}</summary>
        <Table
          caption={takeAwayTexts.columnsOf(name)}
          columns={tableColumns()}
          rows={columns}
          rowKey={(column) => column.name}
        />
      </details>
    </Section>
  );
}

const tableColumns = (): Column<DataSet['columns'][number]>[] => [
  {
    key: 'name',
    title: takeAwayTexts.column,
    cell: ({ name }) => <code className={t.mono}>{name}</code>,
  },
  { key: 'type', title: takeAwayTexts.type, cell: ({ type }) => type },
  { key: 'about', title: takeAwayTexts.about, cell: ({ about }) => about },
];
