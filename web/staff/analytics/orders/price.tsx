import { Link } from '../../src/design/link';
import { money } from '../../staff/parts/format';
import { Mark } from '../../staff/parts/mark';
import { Scroll, Section } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import type { Priced } from '../api/types';
import { Changes } from '../trail/value';
import s from './price.module.css';

/** Why an order cost what it cost, calculated again. */
export function Price({ price }: { price: Priced }) {
  const total = price.explanation.reduce((sum, { amount }) => sum + amount, 0);
  return (
    <div id="price">
      <Section
        title="Why it cost what it cost"
        aside={<Mark tone={price.holds ? 'good' : 'bad'}>{price.holds ? 'Proved' : 'Not proved'}</Mark>}
      >
        <p className={s.said}>
          {price.holds ? (
            <>
              Calculated again now by{' '}
              <Link className={t.link} to={`/analytics/rules?version=${price.rules_version}`}>
                version {price.rules_version} of the rules
              </Link>
              , those of its day: every total, line and step is as recorded.
            </>
          ) : (
            `What the order recorded stands below. It could not be confirmed: ${price.why}.`
          )}
        </p>
        <Scroll label="Price, step by step">
          <table className={t.table}>
            <thead>
              <tr>
                <th scope="col">Step, as the shopper read it</th>
                <th scope="col" className={t.number}>
                  Amount
                </th>
              </tr>
            </thead>
            <tbody>
              {price.explanation.map(({ code, label, amount, note }) => (
                <tr key={code}>
                  <td>
                    <span lang="ru">{label}</span> <code className={s.code}>{code}</code>
                    {note ? (
                      <span lang="ru" className={t.sub}>
                        {note}
                      </span>
                    ) : null}
                  </td>
                  <td className={t.number}>{money(amount)}</td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">To pay</th>
                <td className={t.number}>{money(total)}</td>
              </tr>
            </tfoot>
          </table>
        </Scroll>
        {price.changes.length > 0 ? (
          <>
            <h3 className={s.part}>What comes out otherwise</h3>
            <Changes changes={price.changes} label="What comes out otherwise" />
          </>
        ) : null}
      </Section>
    </div>
  );
}
