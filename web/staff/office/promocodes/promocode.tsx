import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { Link } from '../../../kit/design/link';
import { useParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { count, money } from '../../parts/format';
import { Fact, Facts, Head, Loaded, Loading, Nothing, Section } from '../../parts/parts';
import { Ask } from '../changes/effect';
import { AsOf, Now, useAt, useThen } from '../desk/as-of';
import { draftOf, isWhole, termsOf } from './draft';
import { TermsFields } from './fields';
import { offOf, Validity } from './promocodes';
import { ProposeForm } from './propose';
import { issue, measureTerms, type PromocodeDay, type PromocodeSheet, promocodeQueries } from './queries';
import { promocodeTexts as w } from './texts/ru';

/** A promo code: its terms, what it brought, and what it would bring. */
export function PromocodePage() {
  const { code = '' } = useParams();
  const at = useAt();
  const found = useQuery(promocodeQueries.one(code, at));
  if (found.error instanceof Problem && found.error.status === 404)
    return (
      <>
        <Head title={code} />
        <AsOf />
        <Nothing title={w.noSuch} />
      </>
    );
  return (
    <Loaded query={found} what={w.code} loading={<Loading rows={5} height={120} />}>
      {(sheet) => <Sheet key={`${sheet.code} ${at}`} sheet={sheet} />}
    </Loaded>
  );
}

function Sheet({ sheet }: { sheet: PromocodeSheet }) {
  const { code } = sheet;
  const then = useThen();
  return (
    <>
      <Head title={code} lead={w.states[sheet.state]}>
        <Link className={t.link} to={then('/admin/promocodes')}>
          {w.list}
        </Link>
      </Head>
      <AsOf />
      <Facts>
        <Fact label={w.off}>{offOf(sheet)}</Fact>
        <Fact label={w.min}>{sheet.min_sum > 0 ? money(sheet.min_sum) : w.noBound}</Fact>
        <Fact label={w.used}>
          {sheet.uses > 0 ? w.usedOf(count(sheet.redeemed), count(sheet.uses)) : count(sheet.redeemed)}
        </Fact>
        <Fact label={w.window}>
          <Validity of={sheet} />
        </Fact>
        <Fact label={w.isFor}>
          {sheet.scope.map(({ name, id }) => name || id).join(', ') || w.allGoods}
          {sheet.groups.length > 0 ? ` · ${sheet.groups.join(', ')}` : ''}
        </Fact>
      </Facts>
      <Brought sheet={sheet} />
      <Now>
        <Acts sheet={sheet} />
      </Now>
    </>
  );
}

/** What may be done with a promo code. */
function Acts({ sheet }: { sheet: PromocodeSheet }) {
  const { code } = sheet;
  const [draft, setDraft] = useState(() => draftOf(sheet));
  // Once it is revoked here, the section stays and says so.
  const [revocable] = useState(!sheet.revoked);
  return (
    <>
      <Section title={w.edit}>
        <ProposeForm
          make={async (reason) => issue(w.editTitle(code), [code], termsOf(draft), reason)}
          ready={isWhole(draft)}
          button={w.save}
        >
          {(wrong) => <TermsFields draft={draft} set={setDraft} wrong={wrong} />}
        </ProposeForm>
      </Section>
      <Section title={w.effect}>
        <p>{w.effectWhy}</p>
        <Ask ask={(days) => measureTerms(termsOf(draft), days)} />
      </Section>
      {revocable ? (
        <Section title={w.revoke}>
          <ProposeForm
            make={async (reason) => issue(w.revokeTitle(code), [code], null, reason)}
            ready
            button={w.revoke}
          >
            {() => <p>{w.revokeWhy}</p>}
          </ProposeForm>
        </Section>
      ) : null}
    </>
  );
}

const average = (revenue: number, orders: number) => (orders > 0 ? money(Math.round(revenue / orders)) : '—');

/** What the orders with a code brought, beside those without one. */
function Brought({ sheet }: { sheet: PromocodeSheet }) {
  const { orders, revenue, discount, days, other_orders, other_revenue } = sheet;
  const fresh = days.reduce((sum, one) => sum + one.new_customers, 0);
  return (
    <Section title={w.report}>
      <Facts>
        <Fact label={w.ordersWith}>{count(orders)}</Fact>
        <Fact label={w.revenue}>{money(revenue)}</Fact>
        <Fact label={w.discount}>{money(discount)}</Fact>
        <Fact label={w.newCustomers}>{count(fresh)}</Fact>
        <Fact label={w.averageWith}>{average(revenue, orders)}</Fact>
        <Fact label={w.averageWithout}>{average(other_revenue, other_orders)}</Fact>
      </Facts>
      <Table
        caption={w.byDay}
        columns={dayColumns()}
        rows={days}
        rowKey={({ day }) => day}
        empty={<Nothing title={w.noOrders} />}
        cards
      />
    </Section>
  );
}

const dayColumns = (): Column<PromocodeDay>[] => [
  { key: 'day', title: w.day, head: true, cell: ({ day }) => day },
  { key: 'orders', title: w.ordersWith, number: true, cell: ({ orders }) => count(orders) },
  { key: 'revenue', title: w.revenue, number: true, cell: ({ revenue }) => money(revenue) },
  { key: 'discount', title: w.discount, number: true, cell: ({ discount }) => money(discount) },
  {
    key: 'new',
    title: w.newCustomers,
    number: true,
    cell: ({ new_customers }) => count(new_customers),
  },
];
