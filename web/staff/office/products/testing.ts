import type { ProductGroups, ProductRow } from './queries';

export const groups: ProductGroups = {
  categories: [
    { id: 'c1', name: 'Лицо > Кремы', archived: false, products: 1 },
    { id: 'c2', name: 'Тело', archived: true, products: 0 },
  ],
  brands: [{ id: 'b1', name: 'Зелёный луг', archived: false, products: 1 }],
  marks: [
    { id: 'm1', name: 'Веган', archived: false, products: 1 },
    { id: 'm2', name: 'Эко', archived: false, products: 0 },
  ],
};

export const row = (facts: Partial<ProductRow> = {}): ProductRow => ({
  id: 'p1',
  article: 'MK-1',
  link: 'mk-1',
  name: 'Крем',
  brand_id: null,
  brand: '',
  category_id: 'c1',
  category: 'Лицо > Кремы',
  marks: [],
  price: 1000,
  discounted_price: 1000,
  archived: false,
  picture: '',
  shelf: '',
  gtin: '',
  on_hand: 5,
  reserved: 0,
  available: 5,
  low_line: null,
  low: false,
  waiting: 0,
  ordered: 0,
  updated_at: '2026-11-23T05:00:00Z',
  ...facts,
});
