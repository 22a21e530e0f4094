import { texts } from '../../kit/texts/catalogue';

export const brandsTexts = texts('brandsTexts', {
  title: 'Бренды',
  description: 'Все бренды натуральной косметики и товаров для дома в нашем магазине.',
  products: 'Товары бренда',
  empty: 'Брендов пока нет',
});
