import { pageOfAddress } from '../design/page-of-address';
import { categoryPath, categoryQueries, findCategory } from '../features/category/category-queries';
import { breadcrumbsTexts } from '../texts/design';
import { type HeadOf, titled, trail } from './head';

/** The head of a category's page, with children or with products. */
export const head: HeadOf = ({ params: { id = '' }, path: asked, search, origin, read }) => {
  const category = findCategory(read(categoryQueries.tree().queryKey) ?? [], id);
  if (!category) return { missing: true };
  const path = categoryPath({ ...category, link: encodeURIComponent(category.link) });
  if (path !== asked) return { moved: path };
  const steps = [{ name: breadcrumbsTexts.categories, path: '/categories' }];
  if (category.parent)
    steps.push({ name: category.parent.name, path: `/categories/${category.parent.link}` });
  const page = category.child_categories.length > 0 ? 1 : pageOfAddress(search);
  return {
    title: titled(category.name),
    description: category.description,
    path: page > 1 ? `${path}?page=${page}` : path,
    picture: category.picture ?? undefined,
    facts: [trail(origin, [...steps, { name: category.name, path }])],
  };
};
