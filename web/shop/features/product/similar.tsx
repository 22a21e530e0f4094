import type { ProductCard } from '../../api/types';
import { Section } from '../../design/layout';
import { productTexts } from '../../texts/product';
import { ProductRail } from './product-list';

/** What one may like instead; far below the first screen, so the browser fetches its chunk later. */
export default function Similar({ products }: { products: ProductCard[] }) {
  return (
    <Section id="similar" title={productTexts.similar} spaced={false} products>
      <ProductRail products={products} label={productTexts.similar} />
    </Section>
  );
}
