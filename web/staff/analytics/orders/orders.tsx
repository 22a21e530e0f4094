import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { Problem } from '../../../kit/api/problem';
import t from '../../../kit/table/table.module.css';
import { Rich } from '../../../kit/texts/rich';
import { Head, Loaded, Loading, Nothing, TestPayment } from '../../parts/parts';
import { StepUpNote } from '../../parts/step-up-note';
import { queries } from '../api/queries';
import { Find } from '../parts';
import { orderTexts, screenTexts } from '../texts/ru';
import { Events, goodsOf } from '../trail/trail';
import { Price } from './price';

/** Numbers as people write them: 100 012. */
function FindOrder({ number }: { number?: string }) {
  const navigate = useNavigate();
  return (
    <Find
      label={orderTexts.number}
      value={number}
      numeric
      find={(text) => navigate(`/analytics/orders/${encodeURIComponent(text.replace(/[\s№#]/g, ''))}`)}
    />
  );
}

export function Orders() {
  return (
    <>
      <Head title={screenTexts.orders} lead={orderTexts.lead} />
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
        title={orderTexts.title(number)}
        lead={
          <Rich
            text={orderTexts.along}
            link={(words) => (
              <a className={t.link} href="#price">
                {words}
              </a>
            )}
          />
        }
      >
        <FindOrder number={number} />
      </Head>
      {found.error instanceof Problem && [400, 404].includes(found.error.status) ? (
        <Nothing title={orderTexts.noSuch}>{orderTexts.noSuchWhy}</Nothing>
      ) : (
        <Loaded query={found} what={orderTexts.what} loading={<Loading rows={6} height={84} />}>
          {(order) => (
            <>
              {order.step_up ? <StepUpNote shown={found.refetch} /> : null}
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
