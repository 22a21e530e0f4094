import { useQuery } from '@tanstack/react-query';
import { memo, Suspense, useRef } from 'react';
import { Problem } from '../../kit/api/problem';
import { Icon } from '../../kit/design/icon';
import { Link } from '../../kit/design/link';
import { useParams } from '../../kit/router/router';
import type { Product } from '../api/types';
import { Breadcrumbs, type Crumb } from '../design/breadcrumbs';
import { formatMoney } from '../design/format';
import { later } from '../design/later';
import { Page, Wrap } from '../design/layout';
import layout from '../design/layout.module.css';
import { Price } from '../design/money';
import { Rating } from '../design/rating';
import { saidIn } from '../design/said-in';
import { LoadError, Skeleton } from '../design/state';
import { Title } from '../design/title';
import { contentQueries } from '../features/content/content-queries';
import { shopName } from '../features/content/shop-name';
import { AddToBasket } from '../features/product/add-to-basket';
import { Gallery } from '../features/product/gallery';
import { Marks, ProductSections } from '../features/product/product-facts';
import { productName } from '../features/product/product-name';
import { productQueries } from '../features/product/product-queries';
import { Reviews } from '../features/review/reviews';
import { breadcrumbsTexts, designTexts } from '../texts/design';
import { productTexts } from '../texts/product';
import { NotFound } from './not-found';
import s from './product.module.css';

const t = productTexts;

const Similar = later(() => import('../features/product/similar'));

export default function ProductPage() {
  const { id = '' } = useParams();
  const product = useQuery(productQueries.detail(id));
  const stock = useQuery(productQueries.stock(id)).data;
  if (product.error instanceof Problem && product.error.status === 404) return <NotFound />;
  if (product.isLoadingError) {
    return (
      <Page>
        <LoadError retry={() => product.refetch()} />
      </Page>
    );
  }
  if (!product.data) return <Loading />;
  const shown: Product = stock?.id === product.data.id ? { ...product.data, ...stock } : product.data;
  return <Loaded key={shown.id} product={shown} />;
}

function Loaded({ product }: { product: Product }) {
  const picture = useRef<HTMLSpanElement>(null);
  const rules = useQuery(contentQueries.rules()).data;
  const name = productName(product);
  return (
    <>
      <Title text={`${name} — ${shopName()}`} description={product.description} />
      <Wrap>
        <Breadcrumbs trail={trailOf(product)} />
        <div className={s.top}>
          <Gallery product={product} ref={picture} />
          <div className={s.info}>
            <div className={s.meta}>
              {product.brand ? <Link to={`/brands/${product.brand.link}`}>{product.brand.name}</Link> : null}
              {product.made_in ? (
                <span className={s.made} lang={saidIn(product, 'made_in')}>
                  {product.made_in}
                </span>
              ) : null}
              <Rating value={product.rating}>
                {product.reviews_count > 0 ? (
                  <a href="#reviews">
                    {product.reviews_count} {t.reviewsWord(product.reviews_count)}
                  </a>
                ) : null}
              </Rating>
            </div>
            <h1 lang={saidIn(product, 'name')}>{name}</h1>
            <Marks marks={product.marks} />
            <div className={s.buy}>
              <Price
                price={product.price}
                discounted={product.discounted_price}
                until={product.price_ends_at}
                big
              />
              {product.is_archived ? (
                <b>{t.archived}</b>
              ) : (
                <AddToBasket product={product} picture={() => picture.current} page />
              )}
            </div>
            <ul className={s.facts}>
              {rules ? (
                <li>
                  <Icon name="truck" size={28} />
                  <span>
                    {t.delivery(
                      rules.main_city,
                      rules.same_day_before,
                      formatMoney(rules.free_delivery_from),
                    )}
                  </span>
                </li>
              ) : null}
              <li>
                <Icon name="document" size={28} />
                <span>{t.article(product.article)}</span>
              </li>
            </ul>
            <ProductSections product={product} />
          </div>
        </div>
      </Wrap>
      <section id="reviews" className={`${layout.section} ${layout.below}`} aria-labelledby="reviews-title">
        <Wrap>
          <Reviews product={product} />
        </Wrap>
      </section>
      <Neighbours link={product.link} />
    </>
  );
}

/** Keeps the server's HTML visible until its chunk has loaded, whatever else on the page changes. */
const Neighbours = memo(function Neighbours({ link }: { link: string }) {
  const similar = useQuery(productQueries.similar(link)).data?.results ?? [];
  return similar.length > 0 ? (
    <Suspense>
      <Similar products={similar} />
    </Suspense>
  ) : null;
});

function trailOf(product: Product): Crumb[] {
  const trail: Crumb[] = [{ to: '/categories', text: breadcrumbsTexts.categories }];
  const { category } = product;
  const { parent } = category ?? {};
  if (parent)
    trail.push({ to: `/categories/${parent.link}`, text: parent.name, lang: saidIn(parent, 'name') });
  if (category)
    trail.push({ to: `/category/${category.link}`, text: category.name, lang: saidIn(category, 'name') });
  return trail;
}

function Loading() {
  return (
    <Wrap>
      <Breadcrumbs trail={[{ to: '/categories', text: breadcrumbsTexts.categories }]} />
      <div className={s.top} role="status" aria-label={designTexts.loading}>
        <div className={s.place}>
          <Skeleton kind="fill" />
        </div>
        <div className={s.info}>
          <Skeleton width={40} />
          <Skeleton kind="title" />
          <Skeleton kind="title" />
          <Skeleton width={70} />
          <Skeleton kind="tile" />
          <Skeleton kind="tile" />
        </div>
      </div>
    </Wrap>
  );
}
