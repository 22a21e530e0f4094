import { useQuery } from '@tanstack/react-query';
import { Link } from '../../../kit/design/link';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import f from '../../parts/field.module.css';
import { count, money } from '../../parts/format';
import { Head, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { useFilters } from '../desk/address';
import { AsOf, Now, type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { Find } from '../desk/find';
import { Pages } from '../desk/pages';
import { type PromocodeRow, promocodeQueries, promocodeStates } from './queries';
import { promocodeTexts as w } from './texts/ru';

/** Every promo code, and what it brought. */
export function Promocodes() {
  const { value, narrow, offset, turn } = useFilters();
  const at = useAt();
  const then = useThen();
  const state = promocodeStates.find((one) => one === value('state')) ?? '';
  const found = useQuery(promocodeQueries.list(value('query'), state, offset, at));
  return (
    <>
      <Head title={w.title} lead={w.lead}>
        <Now>
          <Link className={t.link} to="/admin/promocodes/new">
            {w.make}
          </Link>
        </Now>
      </Head>
      <AsOf />
      <search>
        <Find
          label={w.query}
          button={w.find}
          longest={64}
          typed={value('query')}
          find={(typed) => narrow('query', typed)}
        />
        <div className={d.filters}>
          <label className={f.field}>
            {w.state}
            <select value={state} onChange={({ target }) => narrow('state', target.value)}>
              <option value="">{w.any}</option>
              {promocodeStates.map((one) => (
                <option key={one} value={one}>
                  {w.states[one]}
                </option>
              ))}
            </select>
          </label>
        </div>
      </search>
      <Loaded query={found} what={w.what} loading={<Loading rows={6} height={64} />}>
        {({ count: all, results }) => (
          <>
            <p className={d.count} role="status">
              {w.found(count(all))}
            </p>
            <Table
              caption={w.title}
              columns={columns(then)}
              rows={results}
              rowKey={({ code }) => code}
              empty={<Nothing title={w.none}>{w.noneWhy}</Nothing>}
              cards
            />
            <Pages label={w.title} offset={offset} shown={results.length} all={all} turn={turn} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** What a code takes off, in a few words. */
export const offOf = ({ kind, value, max_discount }: PromocodeRow) =>
  kind === 'fixed' ? money(value) : `${value} %${max_discount ? ` ${w.upTo(money(max_discount))}` : ''}`;

/** From when and until when a code may be used. */
export const Validity = ({ of: { valid_from, valid_until } }: { of: PromocodeRow }) =>
  valid_from || valid_until ? (
    <div>
      <Moment at={valid_from} none="…" /> — <Moment at={valid_until} none="…" />
    </div>
  ) : (
    <div>{w.open}</div>
  );

const columns = (then: Then): Column<PromocodeRow>[] => [
  {
    key: 'code',
    title: w.code,
    head: true,
    cell: ({ code, state }) => (
      <div className={d.id}>
        <Link className={t.link} to={then(`/admin/promocodes/${encodeURIComponent(code)}`)}>
          {code}
        </Link>
        <span className={t.sub}>{w.states[state]}</span>
      </div>
    ),
  },
  {
    key: 'off',
    title: w.off,
    cell: (row) => (
      <div>
        {offOf(row)}
        {row.min_sum > 0 ? <span className={t.sub}>{w.fromSum(money(row.min_sum))}</span> : null}
      </div>
    ),
  },
  {
    key: 'for',
    title: w.isFor,
    cell: ({ categories, brands, products, groups }) => (
      <div>
        {w.scope(categories.length, brands.length, products.length) || w.allGoods}
        {groups.length > 0 ? <span className={t.sub}>{groups.join(', ')}</span> : null}
      </div>
    ),
  },
  {
    key: 'window',
    title: w.window,
    cell: (row) => <Validity of={row} />,
  },
  {
    key: 'uses',
    title: w.used,
    number: true,
    cell: ({ redeemed, uses }) => (uses > 0 ? w.usedOf(count(redeemed), count(uses)) : count(redeemed)),
  },
  { key: 'discount', title: w.discount, number: true, cell: ({ discount }) => money(discount) },
  {
    key: 'revenue',
    title: w.revenue,
    number: true,
    cell: ({ revenue, orders }) => (
      <div>
        {money(revenue)}
        <span className={t.sub}>{w.orders(count(orders))}</span>
      </div>
    ),
  },
];
