import { Link } from '../../../kit/design/link';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { Rich } from '../../../kit/texts/rich';
import { money } from '../../parts/format';
import { Mark } from '../../parts/mark';
import { Section } from '../../parts/parts';
import type { Priced } from '../api/types';
import { priceTexts } from '../texts/ru';
import { Changes } from '../trail/value';
import s from './price.module.css';

/** Why an order cost what it cost, calculated again. */
export function Price({ price }: { price: Priced }) {
  const total = price.explanation.reduce((sum, { amount }) => sum + amount, 0);
  return (
    <div id="price">
      <Section
        title={priceTexts.title}
        aside={
          <Mark tone={price.holds ? 'good' : 'bad'}>
            {price.holds ? priceTexts.proved : priceTexts.notProved}
          </Mark>
        }
      >
        <p className={s.said}>
          {price.holds ? (
            <Rich
              text={priceTexts.holds(price.rules_version)}
              link={(words) => (
                <Link className={t.link} to={`/analytics/rules?version=${price.rules_version}`}>
                  {words}
                </Link>
              )}
            />
          ) : (
            priceTexts.fails(price.why)
          )}
        </p>
        <Table
          caption={priceTexts.steps}
          columns={columns(money(total))}
          rows={price.explanation}
          rowKey={({ code }) => code}
        />
        {price.changes.length > 0 ? (
          <>
            <h3 className={s.part}>{priceTexts.otherwise}</h3>
            <Changes changes={price.changes} label={priceTexts.otherwise} />
          </>
        ) : null}
      </Section>
    </div>
  );
}

const columns = (total: string): Column<Priced['explanation'][number]>[] => [
  {
    key: 'step',
    title: priceTexts.step,
    foot: priceTexts.toPay,
    cell: ({ code, label, note }) => (
      <>
        <span lang="ru">{label}</span> <code className={s.code}>{code}</code>
        {note ? (
          <span lang="ru" className={t.sub}>
            {note}
          </span>
        ) : null}
      </>
    ),
  },
  { key: 'amount', title: priceTexts.amount, number: true, foot: total, cell: ({ amount }) => money(amount) },
];
