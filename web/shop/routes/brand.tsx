import { useQuery } from '@tanstack/react-query';
import { Problem } from '../../kit/api/problem';
import { useParams } from '../../kit/router/router';
import { Breadcrumbs } from '../design/breadcrumbs';
import { Page } from '../design/layout';
import { Picture } from '../design/picture';
import { saidIn } from '../design/said-in';
import { Shortened } from '../design/shortened';
import { LoadError, Skeleton } from '../design/state';
import { Title } from '../design/title';
import { brandQueries } from '../features/brand/brand-queries';
import { shopName } from '../features/content/shop-name';
import { ProductRail } from '../features/product/product-list';
import { brandsTexts } from '../texts/brand';
import { breadcrumbsTexts, designTexts } from '../texts/design';
import { pictureSizes } from './brand.head';
import s from './brand.module.css';
import { NotFound } from './not-found';

const t = brandsTexts;
/** Sentences of the description before 'read more'. */
const sentences = 3;

export default function BrandPage() {
  const { id = '' } = useParams();
  const query = useQuery(brandQueries.detail(id));
  if (query.error instanceof Problem && query.error.status === 404) return <NotFound />;
  if (query.isLoadingError) {
    return (
      <Page>
        <LoadError retry={() => query.refetch()} />
      </Page>
    );
  }
  const brand = query.data;
  return (
    <Page>
      <Breadcrumbs trail={[{ to: '/brands', text: breadcrumbsTexts.brands }]} here={brand?.name} />
      {brand ? (
        <>
          <Title text={`${brand.name} — ${shopName()}`} description={brand.description} />
          <div className={s.head}>
            <div className={s.text}>
              {brand.image ? (
                <img className={s.logo} src={brand.image} alt="" width="240" height="96" />
              ) : null}
              <h1>{brand.name}</h1>
              <Shortened
                text={brand.description}
                sentences={sentences}
                about={brand.name}
                lang={saidIn(brand, 'description')}
              />
            </div>
            {brand.picture || brand.main_image ? (
              <Picture
                className={s.picture}
                picture={brand.picture}
                src={brand.main_image}
                alt=""
                sizes={pictureSizes}
                eager
              />
            ) : null}
          </div>
          {brand.products.length > 0 ? (
            <section className={s.products} aria-labelledby="products-title">
              <h2 id="products-title">{t.products}</h2>
              <ProductRail products={brand.products} label={t.products} />
            </section>
          ) : null}
        </>
      ) : (
        <div role="status" aria-label={designTexts.loading}>
          <div className={s.head}>
            <div className={s.text}>
              <Skeleton kind="title" />
              <Skeleton />
              <Skeleton />
              <Skeleton width={70} />
            </div>
          </div>
          <div className={s.products}>
            <Skeleton kind="title" />
            <ProductRail products={undefined} label={t.products} />
          </div>
        </div>
      )}
    </Page>
  );
}
