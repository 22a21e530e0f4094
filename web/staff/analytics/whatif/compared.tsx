import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'react-router';
import { count } from '../../staff/parts/format';
import { Action, Section } from '../../staff/parts/parts';
import type { Column, Compared, Figures, Kind } from '../api/types';
import { csvOf } from '../reports/csv';
import { Rows, sortedBy } from '../reports/table';
import { save } from '../save';
import s from './trial.module.css';

/** What a row tells of orders, in the order in which a trial shows it. */
export const figures: { key: keyof Figures; title: string; kind: Kind }[] = [
  { key: 'revenue', title: 'Revenue', kind: 'money' },
  { key: 'orders', title: 'Orders', kind: 'count' },
  { key: 'discounts', title: 'Discounts', kind: 'money' },
  { key: 'delivery', title: 'Delivery', kind: 'money' },
  { key: 'bonuses', title: 'Bonuses', kind: 'money' },
  { key: 'average', title: 'Average order', kind: 'money' },
];

/** Beside the name: each figure as it was, as it would be and by how much it changes, and the orders that change. */
const told: Column[] = [
  ...figures.flatMap(({ key, title, kind }): Column[] => [
    { key: `${key}_was`, title: `${title}, was`, kind },
    { key: `${key}_would`, title: `${title}, would be`, kind },
    { key: `${key}_change`, title: `${title}, change`, kind: 'change', about: 'What would be less what was' },
  ]),
  { key: 'lost', title: 'Lost', kind: 'money', about: 'Revenue of orders that could not be made' },
  { key: 'below_minimum', title: 'Below minimum', kind: 'count', about: 'Orders below the minimum sum' },
  { key: 'no_cash', title: 'No cash', kind: 'count', about: 'Orders that could not be paid in cash' },
  { key: 'tier_up', title: 'Tier up', kind: 'count', about: 'Orders in a tier of more percent' },
  { key: 'tier_down', title: 'Tier down', kind: 'count', about: 'Orders in a tier of fewer percent' },
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
export function Table({
  by,
  first,
  rows,
  total,
  file,
  children,
}: {
  by: string;
  first: { title: string; kind: Kind };
  rows: Compared[];
  /** All rows together; undefined: they are no parts of one whole. */
  total?: Compared;
  /** What the file of it is called, without what the rows are by. */
  file: string;
  children?: ReactNode;
}) {
  const [address, setAddress] = useSearchParams();
  const [all, setAll] = useState(first.kind === 'month' || rows.length <= few + 3);
  const sorted = address.get(by) ?? '';
  const columns = [{ key: 'name', ...first }, ...told];
  const table = sortedBy(rows.map(rowOf), sorted);
  return (
    <Section
      title={`By ${by}`}
      aside={
        <Action
          aria-label={`Download CSV, by ${by}`}
          onClick={() => save(`${file}-by-${by}.csv`, csvOf(columns, table), 'text/csv')}
        >
          Download CSV
        </Action>
      }
    >
      {children}
      <Rows
        report={{
          title: `By ${by}`,
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
          Show all {count(rows.length)}
        </Action>
      )}
    </Section>
  );
}
