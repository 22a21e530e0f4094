import { queryOptions, useQuery } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { Problem } from '../../../kit/api/problem';
import { useNavigate, useParams } from '../../../kit/router/router';
import t from '../../../kit/table/table.module.css';
import { Rich } from '../../../kit/texts/rich';
import { api } from '../../api/client';
import { Head, Loaded, Loading, Nothing, TestPayment } from '../../parts/parts';
import { StepUpNote } from '../../parts/step-up-note';
import type { OrderTrail } from '../api/types';
import { Find } from '../parts';
import { orderTexts } from '../texts/ru';
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

const orderOf = (number: string) =>
  queryOptions({
    queryKey: ['order', number],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/analytics/orders/{number}/', { params: { path: { number } }, signal }),
      ) as Promise<OrderTrail>,
  });

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
  const found = useQuery(orderOf(asked));
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
