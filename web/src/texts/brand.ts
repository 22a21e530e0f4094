import { texts } from './catalogue';

export const brandsTexts = texts('brandsTexts', {
  title: 'Бренды',
  products: 'Товары бренда',
  all: 'Все товары бренда',
  more: 'Читать далее',
  less: 'Свернуть',
  empty: 'Брендов пока нет',
});
