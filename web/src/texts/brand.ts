import { texts } from './catalogue';

export const brandsTexts = texts('brandsTexts', {
  title: 'Бренды',
  products: 'Товары бренда',
  empty: 'Брендов пока нет',
});
