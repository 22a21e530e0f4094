import { useQuery } from '@tanstack/react-query';
import { Problem } from '../../../kit/api/problem';
import { Link } from '../../../kit/design/link';
import { useParams } from '../../../kit/router/router';
import t from '../../../kit/table/table.module.css';
import { Head, Loaded, Loading, Nothing, TestPayment } from '../../parts/parts';
import { queries } from '../api/queries';
import { Present } from '../changes/present';
import { useThen } from '../desk/as-of';
import { sheetTexts as w } from '../texts/ru';
import { Actions } from './actions';
import { Contact } from './contact';
import { HandMoney } from './edit/money';
import { ParcelOf } from './edit/parcel';
import { Returns } from './edit/returns';
import { Lines } from './lines';
import { Notes } from './notes';
import s from './order.module.css';
import { Status } from './status';
import { Timeline } from './timeline';

/** Everything about an order that its worker needs on one page. */
export function OrderPage() {
  const { number = '' } = useParams();
  const found = useQuery(queries.order(number));
  const then = useThen();
  return (
    <>
      <Head
        title={w.title(number)}
        lead={
          <Link className={t.link} to={then('/admin/orders')}>
            {w.list}
          </Link>
        }
      >
        {found.data ? <Actions sheet={found.data} /> : null}
      </Head>
      {found.error instanceof Problem && [400, 404].includes(found.error.status) ? (
        <Nothing title={w.noSuch}>{w.noSuchWhy}</Nothing>
      ) : (
        <Loaded query={found} what={w.what} loading={<Loading rows={6} height={84} />}>
          {(sheet) => (
            <>
              <p className={s.standing}>
                <Status status={sheet.order.status} /> · {sheet.order.is_paid ? w.paid : w.notPaid}
                {sheet.order.reason ? ` · ${sheet.order.reason}` : ''}
              </p>
              <Present thing="order" id={number} editing={false} />
              {sheet.test_payment ? <TestPayment /> : null}
              <div className={s.columns}>
                <div>
                  <Lines sheet={sheet} />
                  <HandMoney sheet={sheet} />
                  <Returns sheet={sheet} />
                  <Timeline sheet={sheet} />
                </div>
                <div>
                  <Contact sheet={sheet} />
                  <ParcelOf sheet={sheet} />
                  <Notes sheet={sheet} />
                </div>
              </div>
            </>
          )}
        </Loaded>
      )}
    </>
  );
}
