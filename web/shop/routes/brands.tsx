import { useQuery } from '@tanstack/react-query';
import { Breadcrumbs } from '../design/breadcrumbs';
import { Heading, Page } from '../design/layout';
import { Empty, LoadError } from '../design/state';
import { Title } from '../design/title';
import { BrandGrid } from '../features/brand/brand-grid';
import { brandQueries } from '../features/brand/brand-queries';
import { shopName } from '../features/content/shop-name';
import { brandsTexts } from '../texts/brand';

const t = brandsTexts;

export default function BrandsPage() {
  const brands = useQuery(brandQueries.list());
  return (
    <Page>
      <Title text={`${t.title} — ${shopName()}`} description={t.description} />
      <Breadcrumbs trail={[]} here={t.title} />
      <Heading title={t.title} />
      {brands.isLoadingError ? <LoadError retry={() => brands.refetch()} /> : null}
      {brands.data?.length === 0 ? <Empty text={t.empty} /> : null}
      {brands.isLoadingError || brands.data?.length === 0 ? null : <BrandGrid brands={brands.data} />}
    </Page>
  );
}
