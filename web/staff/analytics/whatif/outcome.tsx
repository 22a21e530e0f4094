import { classes } from '../../../kit/design/classes';
import { count, money, signed } from '../../parts/format';
import { Section } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import type { Outcome } from '../api/types';
import { Lines } from '../charts/lines';
import { Command } from '../parts';
import { periodStart, say } from '../reports/cells';
import { dataWords } from '../texts/data-ru';
import { whatIfTexts } from '../texts/ru';
import { Changes } from '../trail/value';
import { ComparedRows, figures } from './compared';
import { ruleName } from './rule-name';
import s from './trial.module.css';

/** The result of a what-if run: what was, and what would have been. */
export function Result({ outcome }: { outcome: Outcome }) {
  const { total, by_month, by_category, by_city, by_customer, assumptions, changes, position } = outcome;
  const file = `what-if-${outcome.id}`;
  const months = by_month.filter(({ name }) => !Number.isNaN(periodStart(name)));
  return (
    <>
      <ul className={s.figures}>
        {figures.map(({ key, kind }) => (
          <li key={key} className={s.figure}>
            <p className={s.name}>{whatIfTexts.figures[key]}</p>
            <p className={classes(s.change, total.change[key] < 0 && s.less)}>
              {signed(total.change[key])}
              {kind === 'money' ? '\u00a0₸' : ''}
            </p>
            <p className={s.from}>
              {whatIfTexts.wasWould(say(kind, total.was[key]), say(kind, total.would[key]))}
            </p>
          </li>
        ))}
      </ul>

      <OrdersThatChange outcome={outcome} />

      <Section title={whatIfTexts.whatTried}>
        {changes.length === 0 ? (
          <p className={s.said}>{whatIfTexts.asTheyWereLong}</p>
        ) : (
          <Changes changes={changes} label={whatIfTexts.differ} nameOf={ruleName} />
        )}
      </Section>

      <ComparedRows by="month" kind="month" rows={by_month} total={total} file={file}>
        {months.length > 1 ? (
          <Lines
            title={whatIfTexts.revenueByMonth}
            by="month"
            x={months.map(({ name }) => periodStart(name))}
            lines={[
              { name: whatIfTexts.revenueWas, values: months.map(({ was }) => was.revenue), say: money },
              { name: whatIfTexts.wouldBe, values: months.map(({ would }) => would.revenue), say: money },
            ]}
          />
        ) : null}
      </ComparedRows>
      <ComparedRows by="category" kind="text" rows={by_category} file={file} />
      <ComparedRows by="city" kind="text" rows={by_city} total={total} file={file} />
      <ComparedRows
        by="customer"
        kind="text"
        rows={by_customer.map((row) => ({ ...row, name: whatIfTexts.customers[row.name] ?? row.name }))}
        total={total}
        file={file}
      />

      <Section title={whatIfTexts.assumptions}>
        <ul className={s.list}>
          {assumptions.map((one) => (
            <li key={one}>{dataWords.assumptions[one] ?? one}</li>
          ))}
        </ul>
      </Section>
      <Command line={`shop replay pricing --rules rules.yml --until ${position}`} />
    </>
  );
}

/** How many orders and baskets the rules would change. */
function OrdersThatChange({ outcome: { total, baskets, elsewhere } }: { outcome: Outcome }) {
  return (
    <Section title={whatIfTexts.changeTitle}>
      <ul className={s.list}>
        <li>
          {whatIfTexts.below(countTexts.orders(total.below_minimum), count(total.no_cash), money(total.lost))}
        </li>
        <li>{whatIfTexts.tierMoves(countTexts.orders(total.tier_up), count(total.tier_down))}</li>
        <li>
          {whatIfTexts.baskets(
            countTexts.baskets(baskets.baskets),
            count(baskets.could),
            money(baskets.could_sum),
            count(baskets.would),
            money(baskets.would_sum),
            count(baskets.unavailable),
          )}
        </li>
        {elsewhere > 0 ? <li>{whatIfTexts.elsewhere(countTexts.orders(elsewhere))}</li> : null}
      </ul>
    </Section>
  );
}
