import { pageOfAddress } from '../../design/page-of-address';
import type { ProductFilter } from '../product/product-queries';

const isOrdering = (text: string | null): text is NonNullable<ProductFilter['ordering']> =>
  text === 'price' || text === '-price';

/** How many brands a list may be narrowed to; the server's renders are as many as there are choices. */
export const maxBrands = 10;

/** The part of a category's products that an address asks for. */
export function listOfAddress(search: string) {
  const address = new URLSearchParams(search);
  const ordering = address.get('ordering');
  return {
    brands: [...new Set(address.get('brand')?.split(',').filter(Boolean))].sort().slice(0, maxBrands),
    ordering: isOrdering(ordering) ? ordering : undefined,
    page: pageOfAddress(search),
  };
}
