import { inRussian } from '../../kit/texts/catalogue';
import { brandQueries } from '../features/brand/brand-queries';
import { breadcrumbsTexts } from '../texts/design';
import { type HeadOf, pictureOf, preloadOf, titled, trail } from './head';

/** How wide the page shows the brand's picture. */
export const pictureSizes = '(width >= 57.5em) 50vw, 92vw';

export const head: HeadOf = ({ params: { id = '' }, origin, read }) => {
  const brand = read(brandQueries.detail(id).queryKey);
  if (!brand) return { missing: true };
  const path = `/brands/${encodeURIComponent(brand.link)}`;
  if (brand.link !== id) return { moved: path };
  return {
    title: titled(brand.name),
    description: brand.description,
    path,
    picture: pictureOf(brand.picture, brand.main_image, brand.image),
    facts: [
      trail(origin, [
        { name: inRussian(breadcrumbsTexts).brands, path: '/brands' },
        { name: brand.name, path },
      ]),
    ],
    preloads: preloadOf(brand.picture, pictureSizes),
  };
};
