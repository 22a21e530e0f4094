import { useQuery } from '@tanstack/react-query';
import { Problem } from '../../../kit/api/problem';
import { useNavigate, useParams } from '../../../kit/router/router';
import { Head, Loaded, Nothing } from '../../parts/parts';
import { StepUpNote } from '../../parts/step-up-note';
import { queries } from '../api/queries';
import { Find } from '../parts';
import { basketTexts, screenTexts } from '../texts/ru';
import { Events, goodsOf } from '../trail/trail';

/** Of a basket's state what names its goods. */
type Priced = { lines?: unknown } | undefined;

function FindBasket({ id }: { id?: string }) {
  const navigate = useNavigate();
  return (
    <Find
      label={basketTexts.id}
      value={id}
      hint={basketTexts.hint}
      find={(text) => navigate(`/analytics/baskets/${encodeURIComponent(text.replace(/^basket-/, ''))}`)}
    />
  );
}

export function Baskets() {
  return (
    <>
      <Head title={screenTexts.baskets} lead={basketTexts.lead} />
      <FindBasket />
    </>
  );
}

export function BasketPage() {
  const { id = '' } = useParams();
  const found = useQuery(queries.basket(id));
  return (
    <>
      <Head title={basketTexts.title} lead={id}>
        <FindBasket id={id} />
      </Head>
      {found.error instanceof Problem && [400, 404].includes(found.error.status) ? (
        <Nothing title={basketTexts.noSuch}>{basketTexts.noSuchWhy}</Nothing>
      ) : (
        <Loaded query={found} what={basketTexts.what}>
          {({ steps, step_up }) => (
            <>
              {step_up ? <StepUpNote shown={found.refetch} /> : null}
              <Events steps={steps} nameOf={goodsOf((steps.at(-1)?.state?.Calculation as Priced)?.lines)} />
            </>
          )}
        </Loaded>
      )}
    </>
  );
}
