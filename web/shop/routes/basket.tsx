import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '../../kit/design/button';
import { Icon } from '../../kit/design/icon';
import { Link } from '../../kit/design/link';
import { useNavigate } from '../../kit/router/router';
import { useSession } from '../api/session';
import { useHydrated } from '../design/hydrated';
import { Heading, Page } from '../design/layout';
import { Empty } from '../design/state';
import { Title } from '../design/title';
import { BasketLines } from '../features/basket/basket-lines';
import { BasketPlace } from '../features/basket/basket-place';
import { usePricedBasket } from '../features/basket/basket-queries';
import { ClearBasket } from '../features/basket/clear-basket';
import { DroppedNotice } from '../features/basket/dropped-notice';
import { KeptLines } from '../features/basket/kept-lines';
import { MinimumOrder, Note, Totals, TotalsPanel } from '../features/basket/totals';
import { contentQueries } from '../features/content/content-queries';
import { shopName } from '../features/content/shop-name';
import { basketTexts, totalsTexts } from '../texts/basket';
import s from './basket.module.css';

const t = basketTexts;

export default function BasketPage() {
  const hydrated = useHydrated();
  const navigate = useNavigate();
  const guest = useSession() === null;
  const priced = usePricedBasket();
  const { lines, calculation } = priced;
  const nothing = (
    <Empty icon="bag" text={t.empty}>
      <ButtonLink to="/categories">{t.toCatalog}</ButtonLink>
    </Empty>
  );
  const clear = hydrated && lines.length === 0 ? null : <ClearBasket />;
  // In a tab that begins here there is no page to go back to.
  const back = () => (history.length > 1 ? navigate(-1) : navigate('/categories'));
  const minimum = useQuery(contentQueries.rules()).data?.min_order;
  return (
    <Page>
      <Title text={`${t.title} — ${shopName()}`} />
      <button type="button" className={s.back} onClick={back}>
        <Icon name="left" size={20} />
        {t.back}
      </button>
      <Heading title={t.title} more={hydrated ? clear : <BasketPlace empty={null}>{clear}</BasketPlace>} />
      <DroppedNotice dropped={priced.dropped} />
      {!hydrated ? (
        <BasketPlace empty={nothing}>
          <KeptLines />
        </BasketPlace>
      ) : lines.length === 0 ? (
        nothing
      ) : (
        <div className={s.grid}>
          <BasketLines lines={lines} />
          <TotalsPanel label={totalsTexts.label}>
            <Totals
              calculation={calculation}
              pending={priced.pending}
              failed={priced.failed}
              retry={priced.retry}
              way="later"
            />
            {/* What follows the sums comes with them, so that they move nothing. */}
            {calculation || priced.failed ? (
              <>
                {minimum !== undefined ? (
                  <MinimumOrder
                    minimum={minimum}
                    missing={calculation?.missing_sum ?? 0}
                    sum={calculation?.total_sum ?? 0}
                  />
                ) : null}
                {calculation?.can_create_order ? <ButtonLink to="/checkout">{t.checkout}</ButtonLink> : null}
                {guest ? (
                  <Note>
                    <Link to="/login?next=/basket">{t.loginBefore}</Link>
                    {t.loginAfter}
                  </Note>
                ) : null}
              </>
            ) : null}
          </TotalsPanel>
        </div>
      )}
    </Page>
  );
}
