import { useQuery } from '@tanstack/react-query';
import { Link } from '../../../kit/design/link';
import { count } from '../../parts/format';
import { Head, Loaded, Loading, Nothing } from '../../parts/parts';
import { queries } from '../api/queries';
import { AsOf, useAt, useThen } from '../desk/as-of';
import { officeTexts, todayTexts } from '../texts/ru';
import s from './today.module.css';

type Code = keyof typeof todayTexts.waits;

/** Where a number leads. What has no list of its own yet is shown alone. */
const ways: Partial<Record<Code, string>> = {
  to_confirm: '/admin/orders?status=RECEIVED&payment=CASH&sort=oldest',
  expire_soon: '/admin/orders?status=RECEIVED&sort=oldest',
  unpaid: '/admin/orders?status=RECEIVED&paid=no&sort=oldest',
  to_pack: '/admin/orders?status=APPROVED&sort=day',
  to_hand_over: '/admin/orders?status=PROCESSING&sort=day',
  owing: '/admin/orders?owing=yes',
  refunds_stuck: '/admin/payments?state=stuck',
  reviews_pending: '/admin/reviews?state=pending',
  reviews_unanswered: '/admin/reviews?state=shown&unanswered=yes',
  goods_low: '/admin/products?stock=low&state=active&sort=available',
  goods_awaited: '/admin/waiting',
  cash_open: '/admin/deliveries/cash',
  letters_dead: '/admin/letters',
  events_parked: '/ops/dead-letters',
};

/** What presses is drawn as such. */
const pressing: Code[] = ['expire_soon', 'refunds_stuck', 'letters_dead', 'events_parked'];

/** What waits for whoever is signed in: each number leads to its list. */
export function Today() {
  const found = useQuery(queries.today(useAt()));
  return (
    <>
      <Head title={officeTexts.today} lead={todayTexts.lead} />
      <AsOf />
      <Loaded query={found} what={todayTexts.what} loading={<Loading rows={3} height={96} />}>
        {({ waits }) => {
          const some = waits.filter(({ count }) => count > 0);
          if (some.length === 0) return <Nothing title={todayTexts.none}>{todayTexts.noneWhy}</Nothing>;
          return (
            <ul className={s.waits}>
              {some.map((wait) => (
                <li
                  key={wait.code + (wait.city ?? '')}
                  data-pressing={pressing.includes(wait.code) || undefined}
                >
                  <Wait {...wait} />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </>
  );
}

function Wait({ code, count: waiting, city }: { code: Code; count: number; city?: string }) {
  const to = ways[code];
  const then = useThen();
  const said = (
    <>
      <b>{count(waiting)}</b>
      <span>
        {todayTexts.waits[code]}
        {city === undefined ? '' : ` · ${city || todayTexts.pickup}`}
      </span>
    </>
  );
  const narrowed = city === undefined ? '' : city ? `&city=${encodeURIComponent(city)}` : '&delivery=PICKUP';
  return to ? <Link to={then(to + narrowed)}>{said}</Link> : <div>{said}</div>;
}
