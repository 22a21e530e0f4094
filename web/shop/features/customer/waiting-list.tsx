import { useQueries, useQuery } from '@tanstack/react-query';
import { Button, ButtonLink } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import { Link } from '../../../kit/design/link';
import { useSession } from '../../api/session';
import { Price } from '../../design/money';
import { Picture } from '../../design/picture';
import { saidIn } from '../../design/said-in';
import { Empty, LoadError, Skeleton } from '../../design/state';
import { waitingTexts } from '../../texts/account';
import { sentence } from '../form/refusal';
import { productQueries } from '../product/product-queries';
import { restockQueries, useUnsubscribe } from '../restock/restock-queries';
import s from './waiting-list.module.css';

const t = waitingTexts;

/** The products whose return the customer waits for, the longest waited for first. */
export function WaitingList() {
  const waits = useQuery(restockQueries.waits(useSession()));
  const products = useQueries({ queries: (waits.data ?? []).map((id) => productQueries.detail(id)) });
  const unsubscribe = useUnsubscribe();
  if (waits.isError) return <LoadError retry={() => waits.refetch()} />;
  if (!waits.data) return <Skeleton kind="tile" />;
  if (waits.data.length === 0) {
    return (
      <Empty icon="leaf" text={t.empty}>
        <ButtonLink to="/categories">{t.toCatalog}</ButtonLink>
      </Empty>
    );
  }
  return (
    <>
      <p>{t.lead}</p>
      <ul className={s.list}>
        {products.map(({ data: product }, at) =>
          product ? (
            <li key={product.id}>
              <Picture
                className={s.picture}
                picture={product.picture}
                src={product.main_image}
                kind={product.category?.placeholder}
                alt=""
                sizes="88px"
              />
              <div>
                <Link className={s.name} to={`/product/${product.link}`} lang={saidIn(product, 'name')}>
                  {product.name}
                </Link>
                <Price price={product.price} discounted={product.discounted_price} />
              </div>
              <Button
                kind="soft"
                aria-label={t.stopOf(product.name)}
                disabled={unsubscribe.isPending}
                onClick={() => unsubscribe.mutate(product.id)}
              >
                {t.stop}
              </Button>
            </li>
          ) : (
            <li key={waits.data[at]}>
              <Skeleton kind="tile" />
            </li>
          ),
        )}
      </ul>
      {unsubscribe.isError ? <FormError>{sentence(unsubscribe.error)}</FormError> : null}
    </>
  );
}
