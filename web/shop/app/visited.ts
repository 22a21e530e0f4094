import type { QueryClient } from '@tanstack/react-query';
import type { Category } from '../api/types';
import { categoryPath, categoryQueries } from '../features/category/category-queries';
import { productQueries } from '../features/product/product-queries';

const pathsOf = (categories: Category[]): string[] =>
  categories.flatMap((category) => [categoryPath(category), ...pathsOf(category.child_categories)]);

/** The pages on which most visits begin: home, catalog, popular and new products, categories. */
export function visitedFrom(read: QueryClient['getQueryData']): string[] {
  const shown = [productQueries.popular(), productQueries.fresh()].flatMap(
    ({ queryKey }) => read(queryKey)?.results ?? [],
  );
  return [
    '/',
    '/categories',
    ...shown.map(({ link }) => `/product/${link}`),
    ...pathsOf(read(categoryQueries.tree().queryKey) ?? []),
  ];
}
