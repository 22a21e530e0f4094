import { classes } from '../../src/design/classes';
import { count, counted, money, signed } from '../../staff/parts/format';
import { Section } from '../../staff/parts/parts';
import type { Outcome } from '../api/types';
import { Lines } from '../charts/lines';
import { Command } from '../parts';
import { begins, say } from '../reports/cells';
import { Changes } from '../trail/value';
import { figures, Table } from './compared';
import s from './trial.module.css';

/** What would have been, beside what was. */
export function Result({ outcome }: { outcome: Outcome }) {
  const { total, by_month, by_category, by_city, by_customer, baskets, assumptions, changes, position } =
    outcome;
  const file = `what-if-${outcome.id}`;
  const months = by_month.filter(({ name }) => !Number.isNaN(begins(name)));
  return (
    <>
      <ul className={s.figures}>
        {figures.map(({ key, title, kind }) => (
          <li key={key} className={s.figure}>
            <p className={s.name}>{title}</p>
            <p className={classes(s.change, total.change[key] < 0 && s.less)}>
              {signed(total.change[key])}
              {kind === 'money' ? '\u00a0₸' : ''}
            </p>
            <p className={s.from}>
              {say(kind, total.was[key])} was, {say(kind, total.would[key])} would be
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

      <Table by="month" first={{ title: 'Month', kind: 'month' }} rows={by_month} total={total} file={file}>
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
      </Table>
      <Table by="category" first={{ title: 'Category', kind: 'text' }} rows={by_category} file={file} />
      <Table by="city" first={{ title: 'City', kind: 'text' }} rows={by_city} total={total} file={file} />
      <Table
        by="customer"
        first={{ title: 'Customers', kind: 'text' }}
        rows={by_customer}
        total={total}
        file={file}
      />

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
