import { queryOptions } from '@tanstack/react-query';
import { reading } from '../../api/reading';
import type { Category } from '../../api/types';

export const categoryQueries = {
  all: () => ['category'] as const,
  /** The whole tree of active categories; every page shows a part of it. */
  tree: () =>
    queryOptions({
      queryKey: [...categoryQueries.all(), 'tree'],
      ...reading('/api/categories/'),
      staleTime: 5 * 60_000,
    }),
};

/** Where a category leads: to its children when it has any, else to its products. */
export const categoryPath = (category: Pick<Category, 'link' | 'child_categories'>): string =>
  category.child_categories.length > 0 ? `/categories/${category.link}` : `/category/${category.link}`;

/** A category of the tree by identifier or link, at any depth. */
export function findCategory(tree: Category[], id: string): Category | undefined {
  for (const category of tree) {
    if (category.id === id || category.link === id) return category;
    const below = findCategory(category.child_categories, id);
    if (below) return below;
  }
  return undefined;
}
