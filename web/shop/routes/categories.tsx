import { useQuery } from '@tanstack/react-query';
import { Link } from '../../kit/design/link';
import { Navigate, useParams } from '../../kit/router/router';
import { Breadcrumbs } from '../design/breadcrumbs';
import { Heading, Page } from '../design/layout';
import { saidIn } from '../design/said-in';
import { Empty, LoadError, Skeleton } from '../design/state';
import { Title } from '../design/title';
import { BrandRail } from '../features/brand/brand-grid';
import { brandQueries } from '../features/brand/brand-queries';
import { categoryQueries, findCategory } from '../features/category/category-queries';
import { CategoryBanners, CategoryMenu, CategoryTiles } from '../features/category/category-tiles';
import { shopName } from '../features/content/shop-name';
import { categoriesTexts } from '../texts/categories';
import { breadcrumbsTexts, designTexts } from '../texts/design';
import s from './categories.module.css';
import { NotFound } from './not-found';

const t = categoriesTexts;

/** All top-level categories, or the children of one of them. */
export default function CategoriesPage() {
  const { id } = useParams();
  const tree = useQuery(categoryQueries.tree());
  const chosen = id && tree.data ? findCategory(tree.data, id) : undefined;
  if (id && tree.data && !chosen) return <NotFound />;
  if (chosen && chosen.child_categories.length === 0)
    return <Navigate to={`/category/${chosen.link}`} replace />;
  const title = chosen?.name ?? t.title;
  const lang = chosen && saidIn(chosen, 'name');
  return (
    <Page>
      <Title text={`${title} — ${shopName()}`} description={id ? chosen?.description : t.description} />
      <Breadcrumbs
        trail={chosen ? [{ to: '/categories', text: breadcrumbsTexts.categories }] : []}
        here={title}
        lang={lang}
      />
      {id && tree.isPending ? (
        <Skeleton kind="title" className={s.titlePlace} />
      ) : (
        <Heading title={title} lang={lang} />
      )}
      {tree.isLoadingError ? <LoadError retry={() => tree.refetch()} /> : null}
      {tree.isPending ? (
        <div className={s.grid} role="status" aria-label={designTexts.loading}>
          <CategoryMenu categories={undefined} />
          {id ? <CategoryBanners categories={undefined} /> : <CategoryTiles categories={undefined} />}
        </div>
      ) : null}
      {tree.data?.length === 0 ? <Empty text={t.empty} /> : null}
      {tree.data && tree.data.length > 0 ? (
        <div className={s.grid}>
          <CategoryMenu categories={tree.data} current={chosen?.link} />
          <div className={s.main}>
            {chosen ? (
              <CategoryBanners categories={chosen.child_categories} />
            ) : (
              <CategoryTiles categories={tree.data} />
            )}
            <PopularBrands category={chosen?.link} />
          </div>
        </div>
      ) : null}
    </Page>
  );
}

function PopularBrands({ category }: { category?: string }) {
  const brands = useQuery(brandQueries.list(category)).data ?? [];
  if (brands.length === 0) return null;
  const popular = brands.toSorted((a, b) => a.popular_place - b.popular_place).slice(0, 8);
  return (
    <section aria-labelledby="brands-title">
      <div className={s.brandsHead}>
        <h2 id="brands-title">{t.popularBrands}</h2>
        <Link to="/brands">{t.allBrands}</Link>
      </div>
      <BrandRail brands={popular} label={t.popularBrands} />
    </section>
  );
}
