import { useState } from 'react';
import { classes } from '../../src/design/classes';
import { count, counted, money, signed } from '../../staff/parts/format';
import { Action, Scroll, Section } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import type { Compared, Figures, Outcome } from '../api/types';
import { Lines } from '../charts/lines';
import { Command } from '../parts';
import { begins, say } from '../reports/cells';
import { Changes } from '../trail/value';
import s from './trial.module.css';

const shown: { key: keyof Figures; title: string; say: (value: number) => string }[] = [
  { key: 'revenue', title: 'Revenue', say: money },
  { key: 'orders', title: 'Orders', say: count },
  { key: 'discounts', title: 'Discounts', say: money },
  { key: 'delivery', title: 'Delivery', say: money },
  { key: 'bonuses', title: 'Bonuses', say: money },
  { key: 'average', title: 'Average order', say: money },
];

/** What would have been, beside what was. */
export function Result({ outcome }: { outcome: Outcome }) {
  const { total, by_month, by_category, by_city, by_customer, baskets, assumptions, changes, position } =
    outcome;
  const months = by_month.filter(({ name }) => !Number.isNaN(begins(name)));
  return (
    <>
      <ul className={s.figures}>
        {shown.map(({ key, title, say }) => (
          <li key={key} className={s.figure}>
            <p className={s.name}>{title}</p>
            <p className={classes(s.change, total.change[key] < 0 && s.less)}>
              {signed(total.change[key])}
              {say === money ? '\u00a0₸' : ''}
            </p>
            <p className={s.from}>
              {say(total.was[key])} was, {say(total.would[key])} would be
            </p>
          </li>
        ))}
      </ul>

      <Section title="Orders that change">
        <ul className={s.list}>
          <li>
            {counted(total.below_minimum, 'order')} would fall below the minimum sum, {count(total.no_cash)}{' '}
            could not be paid in cash: {money(total.lost)} of revenue lost.
          </li>
          <li>
            {counted(total.tier_up, 'order')} would reach a tier of more percent, {count(total.tier_down)} one
            of fewer.
          </li>
          <li>
            Of {counted(baskets.baskets, 'basket')} left behind, {count(baskets.could)} could have been
            ordered ({money(baskets.could_sum)}); {count(baskets.would)} could be under these rules (
            {money(baskets.would_sum)}); {count(baskets.unavailable)} lacked stock either way.
          </li>
          {outcome.elsewhere > 0 ? (
            <li>{counted(outcome.elsewhere, 'order')} of another shop were priced there and are left out.</li>
          ) : null}
        </ul>
      </Section>

      <Section title="What was tried">
        {changes.length === 0 ? (
          <p className={s.said}>The rules as they were.</p>
        ) : (
          <Changes changes={changes} label="Rules that differ" />
        )}
      </Section>

      <Section title="By month">
        {months.length > 1 ? (
          <Lines
            title="Revenue by month"
            by="month"
            x={months.map(({ name }) => begins(name))}
            lines={[
              { name: 'Revenue as it was', values: months.map(({ was }) => was.revenue), say: money },
              { name: 'As it would be', values: months.map(({ would }) => would.revenue), say: money },
            ]}
          />
        ) : null}
        <Table rows={by_month} first="Month" name={(name) => say('month', name)} />
      </Section>
      <Section title="By category">
        <Table rows={by_category} first="Category" />
      </Section>
      <Section title="By city">
        <Table rows={by_city} first="City" />
      </Section>
      <Section title="By customer">
        <Table rows={by_customer} first="Customers" />
      </Section>

      <Section title="What this takes for granted">
        <ul className={s.list}>
          {assumptions.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      </Section>
      <Command line={`shop replay pricing --rules rules.yml --until ${position}`} />
    </>
  );
}

/** A long table shows its first rows, which are the largest, until all are asked for. */
const few = 12;

const heads = ['Orders', 'would be', 'Revenue', 'would be', 'Change', 'Discounts', 'Delivery', 'Lost'];

function Table({
  rows,
  first,
  name: say = (name) => name,
}: {
  rows: Compared[];
  first: string;
  name?: (name: string) => string;
}) {
  const [all, setAll] = useState(rows.length <= few + 3 || first === 'Month');
  return (
    <>
      <Scroll label={`${first}: as it was and as it would be`}>
        <table className={classes(t.table, s.compared)}>
          <thead>
            <tr>
              <th scope="col">{first}</th>
              {heads.map((title, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: fixed heads, two of one name
                <th key={at} scope="col" className={t.number}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(all ? rows : rows.slice(0, few)).map(({ name, was, would, change, lost }) => (
              <tr key={name}>
                <th scope="row">{say(name)}</th>
                <td className={t.number}>{count(was.orders)}</td>
                <td className={t.number}>{count(would.orders)}</td>
                <td className={t.number}>{money(was.revenue)}</td>
                <td className={t.number}>{money(would.revenue)}</td>
                <td className={classes(t.number, change.revenue < 0 && s.less)}>{signed(change.revenue)}</td>
                <td className={t.number}>{signed(change.discounts)}</td>
                <td className={t.number}>{signed(change.delivery)}</td>
                <td className={t.number}>{money(lost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {all ? null : (
        <Action className={s.all} onClick={() => setAll(true)}>
          Show all {count(rows.length)}
        </Action>
      )}
    </>
  );
}
