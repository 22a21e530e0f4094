import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { count } from '../../parts/format';
import { Mark } from '../../parts/mark';
import { Fact, Facts, Section } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import type { Difference, Differences } from '../api/types';
import { buildTexts } from '../texts/ru';
import s from './build.module.css';
import { differing } from './words';

/** Where the live model and the fresh one differ, as far as they were compared. */
export function BuildDifferences({ differences, over }: { differences: Differences | null; over: boolean }) {
  return (
    <Section title={buildTexts.differences}>
      {differences ? (
        <Compared differences={differences} />
      ) : (
        <p className={s.note}>{over ? buildTexts.endedBefore : buildTexts.notComparedYet}</p>
      )}
    </Section>
  );
}

function Compared({ differences }: { differences: Differences }) {
  const rows = differing(differences);
  const sample = differences.sample ?? [];
  const { new_columns: fresh, gone_columns: gone } = differences;
  const told = [
    fresh.length > 0 ? buildTexts.onlyFresh(fresh.join(', ')) : '',
    gone.length > 0 ? buildTexts.onlyLive(gone.join(', ')) : '',
  ].filter(Boolean);
  return (
    <>
      {told.length === 0 ? null : <p className={s.note}>{told.join(' ')}</p>}
      {rows === 0 ? (
        <p className={s.equal}>
          <Mark tone="good">{buildTexts.equalTitle}</Mark>{' '}
          {buildTexts.equalText(countTexts.rows(differences.compared))}
        </p>
      ) : (
        <>
          <Facts>
            <Fact label={buildTexts.compared}>{count(differences.compared)}</Fact>
            <Fact label={buildTexts.changed}>{count(differences.changed)}</Fact>
            <Fact label={buildTexts.missing}>{count(differences.missing)}</Fact>
            <Fact label={buildTexts.extra}>{count(differences.extra)}</Fact>
          </Facts>
          {sample.length > 0 ? <Sample sample={sample} rows={rows} /> : null}
        </>
      )}
    </>
  );
}

/** A column of a row that differs; at says which of the row's columns it is, of how many. */
type Cell = { of: Difference; at: number; many: number; column?: Difference['columns'][number] };

function Sample({ sample, rows }: { sample: Difference[]; rows: number }) {
  const cells = sample.flatMap((of): Cell[] =>
    of.columns.length === 0
      ? [{ of, at: 0, many: 1 }]
      : of.columns.map((column, at) => ({ of, at, many: of.columns.length, column })),
  );
  return (
    <>
      <p className={s.note}>
        {sample.length < rows ? buildTexts.first(count(sample.length), countTexts.rows(rows)) : null}
      </p>
      <Table
        caption={buildTexts.tableOf}
        columns={columns()}
        rows={cells}
        rowKey={({ of, column }) => `${of.table} ${of.key} ${column?.column ?? ''}`}
        className={s.differences}
      />
    </>
  );
}

const covers = ({ at, many }: Cell) => (at === 0 ? many : 0);

const columns = (): Column<Cell>[] => [
  { key: 'table', title: buildTexts.table, span: covers, cell: ({ of }) => of.table },
  {
    key: 'key',
    title: buildTexts.key,
    span: covers,
    className: `${t.mono} ${s.key}`,
    cell: ({ of }) => of.key,
  },
  {
    key: 'kind',
    title: buildTexts.differs,
    span: covers,
    cell: ({ of }) => buildTexts.kindsOfDifference[of.kind],
  },
  { key: 'column', title: buildTexts.column, className: t.mono, cell: ({ column }) => column?.column },
  {
    key: 'live',
    title: buildTexts.live,
    className: t.mono,
    cell: ({ of, column }) =>
      column ? value(column.live) : of.kind === 'missing' ? buildTexts.noRow : buildTexts.aRow,
  },
  {
    key: 'fresh',
    title: buildTexts.fresh,
    className: t.mono,
    cell: ({ of, column }) =>
      column ? value(column.fresh) : of.kind === 'extra' ? buildTexts.noRow : buildTexts.aRow,
  },
];

const value = (cell: unknown): string => (typeof cell === 'string' ? cell : JSON.stringify(cell ?? null));
