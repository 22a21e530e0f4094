import { Link } from '../../../kit/design/link';
import type { OrderDetail } from '../../api/types';
import { formatDate, formatTime } from '../../design/format';
import { Money } from '../../design/money';
import { Picture } from '../../design/picture';
import { useMedia } from '../../design/use-media';
import { orderTexts, returnTexts, stageTexts } from '../../texts/order';
import { Totals, TotalsPanel } from '../basket/totals';
import { OrderActions } from './order-actions';
import { OrderStatus } from './order-status';
import s from './order-view.module.css';
import { RepeatOrder } from './repeat-order';
import { ReturnRequest } from './return-request';

const t = orderTexts;

/** All about an order. Its prices and names are those of the day it was placed. */
export function OrderView({ order, letterKey }: { order: OrderDetail; letterKey?: string }) {
  const wide = useMedia('(width >= 75em)');
  return (
    <div className={s.order}>
      <p className={s.state}>
        <OrderStatus status={order.status} />
        <span>{t.placed(formatDate(order.created_at))}</span>
        <span>{order.is_paid ? t.isPaid : t.isNotPaid}</span>
        {order.delivery_date && !isOver(order) ? <span>{t.promised(day(order.delivery_date))}</span> : null}
        {order.parcel ? (
          <span>
            {t.parcel(order.parcel.carrier, order.parcel.tracking)}
            {order.parcel.url ? (
              <>
                {' '}
                <a href={order.parcel.url} target="_blank" rel="noreferrer">
                  {t.track}
                </a>
              </>
            ) : null}
          </span>
        ) : null}
      </p>
      {wide ? <Table order={order} /> : <Cards order={order} />}
      {order.edits.length > 0 ? (
        <ul className={s.edits} aria-label={returnTexts.changed}>
          {order.edits.map(({ reason, at }) => (
            <li key={at}>
              {returnTexts.changed} (<time dateTime={at}>{formatDate(at)}</time>):{' '}
              <span lang="ru">{reason}</span>
            </li>
          ))}
        </ul>
      ) : null}
      <ReturnRequest order={order} letterKey={letterKey} />
      <div className={s.below}>
        <section aria-labelledby="history">
          <h2 id="history">{t.history}</h2>
          <ol className={s.history}>
            {order.history.map(({ status, at }) => (
              <li key={at + status}>
                <b>{stageTexts[status]}</b>
                <time dateTime={at}>{t.moment(formatDate(at), formatTime(at))}</time>
              </li>
            ))}
          </ol>
        </section>
        <TotalsPanel label={t.sums}>
          <h2>{t.sums}</h2>
          <Totals
            calculation={{ ...order, is_delivery_calculated: order.delivery_date !== null }}
            pending={false}
            failed={false}
            retry={() => {}}
            way={order.delivery_type === 'PICKUP' ? 'pickup' : 'courier'}
          />
          <OrderActions order={order} letterKey={letterKey} />
          <RepeatOrder order={order} />
        </TotalsPanel>
      </div>
    </div>
  );
}

const isOver = ({ status }: OrderDetail) =>
  status === 'COMPLETED' || status === 'CANCELLED' || status === 'REFUNDED';

/** day.month.year of a calendar day. */
const day = (date: string) => date.split('-').reverse().join('.');

/** The address in the order of the letter on a parcel; without what is not known. */
const address = (order: OrderDetail) =>
  [
    [t.city, order.customer_city],
    [t.street, order.customer_street],
    [t.house, order.customer_house],
    [t.entrance, order.customer_entrance],
    [t.floor, order.customer_floor],
    [t.apartment, order.customer_apartment],
  ].filter((line): line is [string, string] => Boolean(line[1]));

function Address({ order }: { order: OrderDetail }) {
  if (order.delivery_type === 'PICKUP') return <p>{t.pickup}</p>;
  return (
    <dl className={s.address}>
      {address(order).map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

type Line = OrderDetail['products_amount'][number];

const Photo = ({ line }: { line: Line }) => (
  <Picture
    className={s.picture}
    picture={line.product.picture}
    src={line.product.main_image}
    alt=""
    sizes="96px"
  />
);

const Name = ({ line }: { line: Line }) => (
  <Link className={s.name} to={`/product/${line.product.link}`} lang="ru">
    {line.product.name}
  </Link>
);

/** By hand: kit/table would bring its sorting, cards and feet into the storefront for one table, which has cards of its own. */
function Table({ order }: { order: OrderDetail }) {
  return (
    <table className={s.table}>
      <thead>
        <tr>
          {[t.photo, t.article, t.price, t.name, t.quantity, t.address].map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {order.products_amount.map((line, at) => (
          <tr key={line.product.id}>
            <td>
              <Photo line={line} />
            </td>
            <td>{line.product.article}</td>
            <td>
              <Money value={line.product.discounted_price} />
            </td>
            <td>
              <Name line={line} />
            </td>
            <td>{line.amount}</td>
            {at === 0 ? (
              <td rowSpan={order.products_amount.length}>
                <Address order={order} />
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cards({ order }: { order: OrderDetail }) {
  return (
    <>
      <ul className={s.cards}>
        {order.products_amount.map((line) => (
          <li key={line.product.id}>
            <Photo line={line} />
            <div>
              <Name line={line} />
              <p className={s.soft}>
                {t.article}: {line.product.article}
              </p>
              <p>
                <Money value={line.product.discounted_price} /> × {line.amount}
              </p>
            </div>
          </li>
        ))}
      </ul>
      <section aria-labelledby="address">
        <h2 id="address">{t.address}</h2>
        <Address order={order} />
      </section>
    </>
  );
}
