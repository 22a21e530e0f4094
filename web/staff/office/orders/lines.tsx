import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { count, money } from '../../parts/format';
import { Fact, Facts, Section } from '../../parts/parts';
import type { OrderSheet } from '../api/queries';
import { sheetTexts as w } from '../texts/ru';
import { ChangeLines } from './edit/lines';
import s from './order.module.css';

type Line = OrderSheet['order']['lines'][number];

/** What was ordered, what of it is in stock, and how the sum came about. */
export function Lines({ sheet }: { sheet: OrderSheet }) {
  const o = sheet.order;
  const stock = new Map(sheet.stock.map((level) => [level.product_id, level]));
  const columns: Column<Line>[] = [
    {
      key: 'product',
      title: w.product,
      head: true,
      cell: ({ name, link, article, picture }) => (
        <div className={s.product}>
          {picture ? <img src={picture} alt="" width="48" height="48" loading="lazy" /> : null}
          <div>
            <a className={t.link} href={`/product/${link}`}>
              {name}
            </a>
            <span className={t.sub}>{article}</span>
          </div>
        </div>
      ),
    },
    { key: 'amount', title: w.amount, number: true, cell: ({ amount }) => count(amount) },
    { key: 'price', title: w.price, number: true, cell: ({ discounted_price }) => money(discounted_price) },
    { key: 'total', title: w.total, number: true, cell: ({ total }) => money(total) },
    {
      key: 'stock',
      title: w.inStock,
      cell: ({ product_id }) => {
        const level = stock.get(product_id);
        return level ? w.stockOf(count(level.available), count(level.reserved)) : '—';
      },
    },
  ];
  return (
    <Section title={w.lines} aside={<ChangeLines sheet={sheet} />}>
      <Table
        caption={w.lines}
        columns={columns}
        rows={o.lines}
        rowKey={({ product_id }) => product_id}
        cards
      />
      <div className={s.sums}>
        <Facts>
          <Fact label={w.goodsSum}>{money(o.total_sum ?? 0)}</Fact>
          {o.order_discount ? (
            <Fact label={w.discount(o.promocode || `${o.order_discount} %`)}>
              {money((o.discounted_sum ?? 0) - (o.total_sum ?? 0))}
            </Fact>
          ) : null}
          {o.bonus_spent ? <Fact label={w.bonus}>{money(-o.bonus_spent)}</Fact> : null}
          <Fact label={w.deliveryPrice}>{money(o.delivery_price ?? 0)}</Fact>
          <Fact label={w.toPay}>
            <b>{money(o.total_paid)}</b>
          </Fact>
          {o.goods_back ? <Fact label={w.goodsBack}>{money(-o.goods_back)}</Fact> : null}
          <Fact label={w.captured}>{money(o.captured ?? 0)}</Fact>
          {o.owed ? <Fact label={w.owed}>{money(o.owed)}</Fact> : null}
        </Facts>
      </div>
      {sheet.price ? (
        <details className={s.explained}>
          <summary>{w.explained}</summary>
          <ol>
            {sheet.price.explanation?.map((step) => (
              <li key={step.code + step.label}>
                {step.label}: {money(step.amount)}
              </li>
            ))}
          </ol>
        </details>
      ) : null}
    </Section>
  );
}
