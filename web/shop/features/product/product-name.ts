import type { Product } from '../../api/types';

/** What a product's page calls it: its name and the size of its package. */
export const productName = ({ name, package_size }: Pick<Product, 'name' | 'package_size'>) =>
  [name, package_size].filter(Boolean).join(', ');
