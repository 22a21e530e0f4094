import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { Problem } from '../../src/api/problem';
import { Head, Loaded, Nothing } from '../../staff/parts/parts';
import { queries } from '../api/queries';
import { Find } from '../parts';
import { Events, goodsOf } from '../trail/trail';

/** Of a basket's state what names its goods. */
type Priced = { lines?: unknown } | undefined;

function FindBasket({ id }: { id?: string }) {
  const navigate = useNavigate();
  return (
    <Find
      label="Basket id"
      value={id}
      hint="of a log entry basket-…"
      find={(text) => navigate(`/analytics/baskets/${encodeURIComponent(text.replace(/^basket-/, ''))}`)}
    />
  );
}

export function Baskets() {
  return (
    <>
      <Head
        title="Baskets"
        lead="A basket, pricing by pricing. An order's events lead to the basket that it came from."
      />
      <FindBasket />
    </>
  );
}

export function BasketPage() {
  const { id = '' } = useParams();
  const found = useQuery(queries.basket(id));
  return (
    <>
      <Head title="Basket" lead={id}>
        <FindBasket id={id} />
      </Head>
      {found.error instanceof Problem && [400, 404].includes(found.error.status) ? (
        <Nothing title="There is no such basket">A basket is known by its id, a UUID.</Nothing>
      ) : (
        <Loaded query={found} what="The basket">
          {({ steps }) => (
            <Events steps={steps} nameOf={goodsOf((steps.at(-1)?.state?.Calculation as Priced)?.lines)} />
          )}
        </Loaded>
      )}
    </>
  );
}
