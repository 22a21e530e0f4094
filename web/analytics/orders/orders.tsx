import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { Problem } from '../../src/api/problem';
import { Head, Loaded, Loading, Nothing, TestPayment } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import { queries } from '../api/queries';
import { Find } from '../parts';
import { Events, goodsOf } from '../trail/trail';
import { Price } from './price';

/** Numbers as people write them: 100 012. */
function FindOrder({ number }: { number?: string }) {
  const navigate = useNavigate();
  return (
    <Find
      label="Order number"
      value={number}
      numeric
      find={(text) => navigate(`/analytics/orders/${encodeURIComponent(text.replace(/[\s№#]/g, ''))}`)}
    />
  );
}

export function Orders() {
  return (
    <>
      <Head
        title="Orders"
        lead="An order as it was after any of its events, what each event changed, and why it cost what it cost."
      />
      <FindOrder />
    </>
  );
}

const lead = [
  'status',
  'is_paid',
  'total_paid',
  'total_sum',
  'order_discount',
  'discounted_sum',
  'delivery_price',
];

/** The price stands below, proved. */
const leave = ['explanation'];

/** An order by its number, or by the id that other streams know it by. */
export function OrderPage() {
  const { number: asked = '' } = useParams();
  const found = useQuery(queries.order(asked));
  const number = String(found.data?.number ?? asked);
  return (
    <>
      <Head
        title={`Order ${number}`}
        lead={
          <>
            Go along its events with the slider, its arrow keys or the list.{' '}
            <a className={t.link} href="#price">
              Why it cost what it cost
            </a>
          </>
        }
      >
        <FindOrder number={number} />
      </Head>
      {found.error instanceof Problem && [400, 404].includes(found.error.status) ? (
        <Nothing title="There is no such order">Look at the number again: numbers begin at 100001.</Nothing>
      ) : (
        <Loaded query={found} what="The order" loading={<Loading rows={6} height={84} />}>
          {(order) => (
            <>
              {order.test_payment ? <TestPayment /> : null}
              <Events
                steps={order.steps}
                lead={lead}
                leave={leave}
                nameOf={goodsOf(order.steps[0]?.state?.lines)}
              />
              {order.price ? <Price price={order.price} /> : null}
            </>
          )}
        </Loaded>
      )}
    </>
  );
}
