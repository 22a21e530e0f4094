import type { ProductCard as Card } from '../../api/types';
import { Cards } from '../../design/layout';
import { Rail } from '../../design/rail';
import { LoadError } from '../../design/state';
import { ProductCard, ProductCardSkeleton } from './product-card';

const places = (count: number) =>
  Array.from({ length: count }, (_, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: places have no identity beside their position
    <li key={at}>
      <ProductCardSkeleton />
    </li>
  ));

/** Product cards in a grid that begins on the first screen; their places while loading; a way to retry when it failed. */
export function ProductGrid({
  products,
  failed = false,
  retry,
  expected = 8,
  label,
}: {
  products: Card[] | undefined;
  failed?: boolean;
  retry: () => void;
  /** How many places to hold while loading. */
  expected?: number;
  label?: string;
}) {
  if (failed && !products) return <LoadError retry={retry} />;
  return (
    <Cards label={label}>
      {products
        ? products.map((product, at) => (
            <li key={product.id}>
              <ProductCard product={product} eager={at < 2} />
            </li>
          ))
        : places(expected)}
    </Cards>
  );
}

/** Product cards in a row that turns; their places while loading. */
export function ProductRail({ products, label }: { products: Card[] | undefined; label: string }) {
  return (
    <Rail kind="products" label={label}>
      {products
        ? products.map((product) => (
            <li key={product.id}>
              <ProductCard product={product} />
            </li>
          ))
        : places(4)}
    </Rail>
  );
}
