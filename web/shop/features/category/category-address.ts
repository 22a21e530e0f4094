import { pageOfAddress } from '../../design/page-of-address';
import type { ProductFilter } from '../product/product-queries';

const isOrdering = (text: string | null): text is NonNullable<ProductFilter['ordering']> =>
  text === 'price' || text === '-price';

/** The part of a category's products that an address asks for. */
export function listOfAddress(search: string) {
  const address = new URLSearchParams(search);
  const ordering = address.get('ordering');
  return {
    brands: address.get('brand')?.split(',').filter(Boolean) ?? [],
    ordering: isOrdering(ordering) ? ordering : undefined,
    page: pageOfAddress(search),
  };
}
