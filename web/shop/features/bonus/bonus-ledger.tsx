import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Button } from '../../../kit/design/button';
import { Link } from '../../../kit/design/link';
import { useSession } from '../../api/session';
import type { BonusEntry } from '../../api/types';
import { formatDate } from '../../design/format';
import { Money } from '../../design/money';
import { LoadError, Skeleton } from '../../design/state';
import { bonusTexts } from '../../texts/account';
import { contentQueries } from '../content/content-queries';
import s from './bonus-ledger.module.css';
import { bonusQueries } from './bonus-queries';

const t = bonusTexts;

/** The balance of bonuses and each entry that made it. */
export function BonusLedger() {
  const ledger = useInfiniteQuery(bonusQueries.ledger(useSession()));
  const rules = useQuery(contentQueries.rules()).data;
  const bonuses = ledger.data?.pages[0];
  if (ledger.isError && !bonuses) return <LoadError retry={() => ledger.refetch()} />;
  if (!bonuses) return <Skeleton kind="tile" />;
  const entries = ledger.data?.pages.flatMap(({ history }) => history.results) ?? [];
  return (
    <>
      <dl className={s.sums}>
        <div>
          <dt>{t.balance}</dt>
          <dd>
            <Money value={bonuses.bonus_amount} />
          </dd>
        </div>
        <div>
          <dt>{t.purchases}</dt>
          <dd>
            <Money value={bonuses.purchases_total} />
          </dd>
        </div>
      </dl>
      {bonuses.owed > 0 ? (
        <p className={s.terms}>
          {t.owed} <Money value={bonuses.owed} />
        </p>
      ) : null}
      {rules ? <p className={s.terms}>{t.terms(rules.bonus_earn_percent, rules.bonus_max_percent)}</p> : null}
      <section className={s.history} aria-labelledby="bonus-history">
        <h2 id="bonus-history">{t.history}</h2>
        {entries.length === 0 ? <p>{t.empty}</p> : null}
        <ol>
          {entries.map((entry) => (
            <Entry key={`${entry.created_at} ${entry.kind} ${entry.order.id}`} entry={entry} />
          ))}
        </ol>
        {ledger.hasNextPage ? (
          <Button kind="soft" disabled={ledger.isFetchingNextPage} onClick={() => ledger.fetchNextPage()}>
            {t.more}
          </Button>
        ) : null}
      </section>
    </>
  );
}

function Entry({ entry: { kind, amount, balance, created_at, order } }: { entry: BonusEntry }) {
  return (
    <li>
      <div>
        <b>{t[kind]}</b>
        {order.number ? <Link to={`/account/order/${order.id}`}>{t.order(order.number)}</Link> : null}
        <time dateTime={created_at}>{formatDate(created_at)}</time>
      </div>
      <p>
        <b data-gain={amount > 0}>
          {amount > 0 ? '+' : null}
          <Money value={amount} />
        </b>
        <small>
          {t.left} <Money value={balance} />
        </small>
      </p>
    </li>
  );
}
