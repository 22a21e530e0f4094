import type { Product } from '../api/types';
import { gallerySizes } from '../features/product/gallery-sizes';
import { productName } from '../features/product/product-name';
import { productQueries } from '../features/product/product-queries';
import { breadcrumbsTexts } from '../texts/design';
import { absolute, type Fact, type HeadOf, pictureOf, preloadOf, titled, trail } from './head';

export const head: HeadOf = ({ params: { id = '' }, origin, read }) => {
  const product = read(productQueries.detail(id).queryKey);
  if (!product) return { missing: true };
  const path = `/product/${encodeURIComponent(product.link)}`;
  if (product.link !== id) return { moved: path };
  const name = productName(product);
  return {
    title: titled(name),
    description: product.description,
    path,
    picture: pictureOf(product.picture, product.main_image),
    kind: 'product',
    facts: [offer(product, origin, path), trail(origin, [...trailOf(product), { name, path }])],
    preloads: preloadOf(product.picture, gallerySizes),
  };
};

/** The product for sale. */
function offer(product: Product, origin: string, path: string): Fact {
  const url = origin + path;
  const images = product.images.map(({ image }) => absolute(origin, image));
  const picture = pictureOf(product.picture, product.main_image);
  if (images.length === 0 && picture) images.push(absolute(origin, picture.src));
  return {
    '@type': 'Product',
    name: productName(product),
    sku: product.article,
    description: product.description,
    url,
    offers: {
      '@type': 'Offer',
      url,
      price: product.discounted_price,
      priceCurrency: 'KZT',
      availability: `https://schema.org/${product.in_stock ? 'InStock' : 'OutOfStock'}`,
      itemCondition: 'https://schema.org/NewCondition',
    },
    ...(images.length > 0 ? { image: images } : {}),
    ...(product.brand?.name ? { brand: { '@type': 'Brand', name: product.brand.name } } : {}),
    ...(product.reviews_count > 0
      ? {
          aggregateRating: {
            '@type': 'AggregateRating',
            ratingValue: product.rating,
            reviewCount: product.reviews_count,
            bestRating: 5,
            worstRating: 1,
          },
        }
      : {}),
  };
}

/** The pages on the way to the product. */
function trailOf({ category }: Product) {
  const steps = [{ name: breadcrumbsTexts.categories, path: '/categories' }];
  if (category?.parent)
    steps.push({ name: category.parent.name, path: `/categories/${category.parent.link}` });
  if (category) steps.push({ name: category.name, path: `/category/${category.link}` });
  return steps;
}
