import { type ReactNode, useState } from 'react';
import { useSearchParams } from '../../../kit/router/router';
import { csvOf, sortedBy } from '../../../kit/table/rows';
import { count } from '../../parts/format';
import { Action, Section } from '../../parts/parts';
import { save } from '../../parts/save';
import type { Column, Compared, Figures, Kind, Row } from '../api/types';
import { columnsOf, Rows } from '../reports/table';
import { reportTexts, whatIfTexts } from '../texts/ru';
import s from './trial.module.css';

/** What a row tells of orders, in the order in which a trial shows it. */
export const figures: { key: keyof Figures & keyof typeof whatIfTexts.figures; kind: Kind }[] = [
  { key: 'revenue', kind: 'money' },
  { key: 'orders', kind: 'count' },
  { key: 'discounts', kind: 'money' },
  { key: 'delivery', kind: 'money' },
  { key: 'bonuses', kind: 'money' },
  { key: 'average', kind: 'money' },
];

/** Beside the name: each figure as it was, as it would be and by how much it changes, and the orders that change. */
const told = (t = whatIfTexts): Column[] => [
  ...figures.flatMap(({ key, kind }): Column[] => {
    const title = t.figures[key];
    return [
      { key: `${key}_was`, title: t.was(title), kind },
      { key: `${key}_would`, title: t.would(title), kind },
      { key: `${key}_change`, title: t.change(title), kind: 'change', about: t.changeAbout },
    ];
  }),
  { key: 'lost', title: t.lost, kind: 'money', about: t.lostAbout },
  { key: 'below_minimum', title: t.belowMinimum, kind: 'count', about: t.belowMinimumAbout },
  { key: 'no_cash', title: t.noCash, kind: 'count', about: t.noCashAbout },
  { key: 'tier_up', title: t.tierUp, kind: 'count', about: t.tierUpAbout },
  { key: 'tier_down', title: t.tierDown, kind: 'count', about: t.tierDownAbout },
];

/** Those that a screen has room for; a file has all. */
const shown = new Set([
  'orders_was',
  'orders_would',
  'revenue_was',
  'revenue_would',
  'revenue_change',
  'discounts_change',
  'delivery_change',
  'average_change',
  'lost',
  'below_minimum',
  'tier_up',
]);

const rowOf = ({ name, was, would, change, ...orders }: Compared) => ({
  name,
  ...Object.fromEntries(
    figures.flatMap(({ key }) => [
      [`${key}_was`, was[key]],
      [`${key}_would`, would[key]],
      [`${key}_change`, change[key]],
    ]),
  ),
  ...orders,
});

/** A long table shows its first rows until all are asked for. */
const few = 12;

/**
 * Rows as they were and as they would be. What they are sorted by stands in the address under the table's name; unsorted
 * they stand as they came, months by time and others by revenue.
 */
export function ComparedRows({
  by,
  kind,
  rows,
  total,
  file,
  children,
}: {
  by: keyof typeof whatIfTexts.byWhat;
  kind: Kind;
  rows: Compared[];
  /** All rows together; undefined: they are no parts of one whole. */
  total?: Compared;
  /** What the file of it is called, without what the rows are by. */
  file: string;
  children?: ReactNode;
}) {
  const [address, setAddress] = useSearchParams();
  const [all, setAll] = useState(kind === 'month' || rows.length <= few + 3);
  const title = whatIfTexts.byWhat[by];
  const sorted = address.get(by) ?? '';
  const columns: Column[] = [{ key: 'name', title: whatIfTexts.firsts[by], kind }, ...told()];
  const whole = columnsOf(columns);
  const table = sortedBy<Row>(rows.map(rowOf), whole, sorted);
  return (
    <Section
      title={title}
      aside={
        <Action
          aria-label={reportTexts.csvBy(title)}
          onClick={() => save(`${file}-by-${by}.csv`, csvOf(whole, table), 'text/csv')}
        >
          {reportTexts.csv}
        </Action>
      }
    >
      {children}
      <Rows
        report={{
          title,
          columns: columns.filter(({ key }) => key === 'name' || shown.has(key)),
          rows: all ? table : table.slice(0, few),
          total: total ? rowOf(total) : null,
        }}
        sorted={sorted}
        sort={(key) =>
          setAddress((before) => {
            before.set(by, key);
            return before;
          })
        }
      />
      {all ? null : (
        <Action className={s.all} onClick={() => setAll(true)}>
          {whatIfTexts.showAll(count(rows.length))}
        </Action>
      )}
    </Section>
  );
}
