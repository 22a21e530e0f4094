import { classes } from '../../src/design/classes';
import { count, counted } from '../../staff/parts/format';
import { Mark } from '../../staff/parts/mark';
import { Fact, Facts, Scroll, Section } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import type { Difference, Differences } from '../api/types';
import s from './build.module.css';
import { differing } from './words';

/** Where the live model and the fresh one differ, as far as they were compared. */
export function BuildDifferences({ differences, over }: { differences: Differences | null; over: boolean }) {
  if (!differences) {
    return (
      <Section title="Differences">
        <p className={s.note}>
          {over
            ? 'It ended before anything was compared.'
            : 'The models are compared once the fresh one has caught up.'}
        </p>
      </Section>
    );
  }
  const rows = differing(differences);
  const sample = differences.sample ?? [];
  const columns = [
    differences.new_columns.length > 0
      ? `Only the fresh model has ${differences.new_columns.join(', ')}.`
      : '',
    differences.gone_columns.length > 0
      ? `Only the live model has ${differences.gone_columns.join(', ')}.`
      : '',
  ]
    .filter(Boolean)
    .join(' ');
  return (
    <Section title="Differences">
      {columns === '' ? null : <p className={s.note}>{columns}</p>}
      {rows === 0 ? (
        <p className={s.equal}>
          <Mark tone="good">Equal</Mark> All {counted(differences.compared, 'row')} of the live model are the
          same in a fresh fold.
        </p>
      ) : (
        <>
          <Facts>
            <Fact label="Rows compared">{count(differences.compared)}</Fact>
            <Fact label="Changed">{count(differences.changed)}</Fact>
            <Fact label="Missing in the live model">{count(differences.missing)}</Fact>
            <Fact label="Only in the live model">{count(differences.extra)}</Fact>
          </Facts>
          {sample.length > 0 ? (
            <>
              <p className={s.note}>
                {sample.length < rows
                  ? `The first ${count(sample.length)} of ${counted(rows, 'row')}.`
                  : null}
              </p>
              <Scroll label="Table of rows that differ">
                <table className={classes(t.table, s.differences)}>
                  <thead>
                    <tr>
                      <th scope="col">Table</th>
                      <th scope="col">Key</th>
                      <th scope="col">What</th>
                      <th scope="col">Column</th>
                      <th scope="col">Live value</th>
                      <th scope="col">Fresh value</th>
                    </tr>
                  </thead>
                  <tbody>
                    {sample.map((one) => (
                      <DifferenceRows key={`${one.table} ${one.key}`} difference={one} />
                    ))}
                  </tbody>
                </table>
              </Scroll>
            </>
          ) : null}
        </>
      )}
    </Section>
  );
}

const differs: Record<Difference['kind'], string> = {
  missing: 'missing in live',
  extra: 'only in live',
  changed: 'changed',
};

function DifferenceRows({ difference: { table, key, kind, columns } }: { difference: Difference }) {
  const cells = columns.length > 0 ? columns : [undefined];
  return cells.map((cell, at) => (
    <tr key={cell?.column ?? ''}>
      {at === 0 ? (
        <>
          <td rowSpan={cells.length}>{table}</td>
          <td rowSpan={cells.length} className={classes(t.mono, s.key)}>
            {key}
          </td>
          <td rowSpan={cells.length}>{differs[kind]}</td>
        </>
      ) : null}
      <td className={t.mono}>{cell?.column}</td>
      <td className={t.mono}>{cell ? value(cell.live) : kind === 'missing' ? 'no row' : 'a row'}</td>
      <td className={t.mono}>{cell ? value(cell.fresh) : kind === 'extra' ? 'no row' : 'a row'}</td>
    </tr>
  ));
}

const value = (cell: unknown): string => (typeof cell === 'string' ? cell : JSON.stringify(cell ?? null));
