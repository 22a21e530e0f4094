import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { search } from '../../staff/api/client';
import { useMay } from '../../staff/me';
import f from '../../staff/parts/field.module.css';
import { counted } from '../../staff/parts/format';
import { Action, Head, Loaded, Nothing, Scroll, Section } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import { queries } from '../api/queries';
import type { DataSet } from '../api/types';
import s from './take-away.module.css';

export function TakeAway() {
  const found = useQuery(queries.dataSets());
  return (
    <>
      <Head
        title="Take away"
        lead="Data sets for DuckDB, pandas and Excel, a file at a time; personal data are masked. The command line writes whole folders, by month and only what is new."
      />
      <Loaded query={found} what="The data sets">
        {(sets) =>
          sets.length === 0 ? (
            <Nothing title="No data sets" />
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
    if (given.month && !/^\d{4}-\d\d$/.test(given.month)) return setWrong('Month: must be such as 2026-03.');
    if (given.from_position && !/^[1-9]\d*$/.test(given.from_position))
      return setWrong('From position: must be a number from 1.');
    setWrong('');
    const file = document.createElement('a');
    file.href = `/api/analytics/datasets/${encodeURIComponent(name)}/${search(given)}`;
    file.download = '';
    file.click();
    setAsked('The browser takes the file. A large one begins after a moment.');
  };
  return (
    <Section title={name}>
      <p className={s.about}>{about}</p>
      <form className={s.form} onSubmit={submit} aria-label={`Take ${name} away`} noValidate>
        <label className={f.field}>
          Format
          <select name="format">
            {formats.map((format) => (
              <option key={format}>{format}</option>
            ))}
          </select>
        </label>
        <label className={f.field}>
          Month
          <input type="month" name="month" placeholder="2026-03" />
        </label>
        <label className={f.field}>
          From position
          <input name="from_position" inputMode="numeric" placeholder="all" />
        </label>
        {personal ? (
          <label className={s.check}>
            <input type="checkbox" name="unmasked" value="1" /> With personal data
          </label>
        ) : null}
        <Action type="submit" kind="strong">
          Download
        </Action>
        <p role="alert" className={s.wrong}>
          {wrong}
        </p>
        <p role="status" className={s.asked}>
          {asked}
        </p>
      </form>
      <details className={s.columns}>
        <summary>{counted(columns.length, 'column')}</summary>
        <Scroll label={`Columns of ${name}`}>
          <table className={t.table}>
            <thead>
              <tr>
                <th scope="col">Column</th>
                <th scope="col">Type</th>
                <th scope="col">About</th>
              </tr>
            </thead>
            <tbody>
              {columns.map((column) => (
                <tr key={column.name}>
                  <td>
                    <code className={t.mono}>{column.name}</code>
                  </td>
                  <td>{column.type}</td>
                  <td>{column.about}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      </details>
    </Section>
  );
}
