import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Button } from '../../kit/design/button';
import { Navigate, useLocation, useNavigate, useParams } from '../../kit/router/router';
import { Breadcrumbs, type Crumb } from '../design/breadcrumbs';
import { Heading, Hidden, Page } from '../design/layout';
import { Pages } from '../design/pages';
import { saidIn } from '../design/said-in';
import { Empty, Skeleton } from '../design/state';
import { Title } from '../design/title';
import { brandQueries } from '../features/brand/brand-queries';
import { listOfAddress } from '../features/category/category-address';
import { CategoryFilters } from '../features/category/category-filters';
import { categoryPath, categoryQueries, findCategory } from '../features/category/category-queries';
import { shopName } from '../features/content/shop-name';
import { ProductGrid } from '../features/product/product-list';
import { pageSize, productQueries } from '../features/product/product-queries';
import { categoryTexts } from '../texts/category';
import { breadcrumbsTexts, designTexts } from '../texts/design';
import s from './category.module.css';
import { NotFound } from './not-found';

const t = categoryTexts;

/** The products of a category; brand, order and page stand in the address. */
export default function CategoryPage() {
  const { id = '' } = useParams();
  const { search } = useLocation();
  const navigate = useNavigate();
  const address = new URLSearchParams(search);
  const tree = useQuery(categoryQueries.tree());
  const category = tree.data ? findCategory(tree.data, id) : undefined;

  const { brands, ordering, page } = listOfAddress(search);

  const offered = useQuery(brandQueries.list(id)).data ?? [];
  const list = useInfiniteQuery(productQueries.list({ category: id, brands, ordering }, page));
  if (tree.isPending) return <Loading />;
  if (tree.data && !category) return <NotFound />;
  if (category && category.child_categories.length > 0)
    return <Navigate to={categoryPath(category)} replace />;

  const products = list.data?.pages.flatMap((part) => part.results);
  const count = list.data?.pages[0]?.count ?? 0;
  const filtered = brands.length > 0 || ordering !== undefined;

  const change = (changes: Record<string, string | undefined>) => {
    const next = new URLSearchParams(address);
    next.delete('page');
    for (const [key, value] of Object.entries(changes)) {
      if (value) next.set(key, value);
      else next.delete(key);
    }
    navigate(`?${next}`);
  };

  const trail: Crumb[] = [{ to: '/categories', text: breadcrumbsTexts.categories }];
  const { parent } = category ?? {};
  if (parent)
    trail.push({ to: `/categories/${parent.link}`, text: parent.name, lang: saidIn(parent, 'name') });
  const lang = category && saidIn(category, 'name');
  const title = category?.name ?? id;
  return (
    <Page>
      <Title text={`${title} — ${shopName()}`} description={category?.description} />
      <Breadcrumbs trail={trail} here={category?.name} lang={lang} back />
      <Heading title={title} lang={lang} />
      {category?.description ? (
        <p className={s.about} lang={saidIn(category, 'description')}>
          {category.description}
        </p>
      ) : null}
      <CategoryFilters
        brands={offered}
        chosen={brands}
        ordering={ordering}
        shown={products && products.length > 0 ? t.shown((page - 1) * pageSize + products.length, count) : ''}
        onBrands={(links) => change({ brand: links.join(',') })}
        onOrdering={(chosen) => change({ ordering: chosen })}
        onReset={() => navigate('?')}
      />
      <h2>
        <Hidden>{t.products}</Hidden>
      </h2>
      {products?.length === 0 ? (
        <Empty icon="search" text={filtered || page > 1 ? t.empty : t.emptyCategory}>
          {filtered ? <p>{t.emptyHint}</p> : null}
        </Empty>
      ) : (
        <ProductGrid
          products={products}
          failed={list.isError}
          retry={() => list.refetch()}
          label={category?.name}
        />
      )}
      {count > pageSize ? (
        <div className={s.more}>
          {list.hasNextPage ? (
            <Button kind="line" disabled={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
              {t.more}
            </Button>
          ) : null}
          <Pages last={Math.ceil(count / pageSize)} current={page} search={search} />
        </div>
      ) : null}
    </Page>
  );
}

/** Until the category is known nothing is drawn that its description would move. */
function Loading() {
  return (
    <Page>
      <Breadcrumbs trail={[{ to: '/categories', text: breadcrumbsTexts.categories }]} />
      <div className={s.place} role="status" aria-label={designTexts.loading}>
        <Skeleton kind="title" />
        <Skeleton kind="tile" />
        <Skeleton kind="tile" />
      </div>
    </Page>
  );
}
