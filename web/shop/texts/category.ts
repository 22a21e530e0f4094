import { texts } from '../../kit/texts/catalogue';

export const categoryTexts = texts('categoryTexts', {
  filters: 'Фильтры',
  products: 'Товары',
  brand: 'Бренд',
  anyBrand: 'Все бренды',
  order: 'Порядок',
  orderDefault: 'Сначала в наличии',
  orderUp: 'Сначала дешевле',
  orderDown: 'Сначала дороже',
  reset: 'Сбросить фильтр',
  more: 'Показать ещё',
  shown: (shown: number, of: number) => `Показано ${shown} из ${of}`,
  empty: 'По этим условиям товаров нет',
  emptyHint: 'Сбросьте фильтр, чтобы увидеть все товары категории.',
  emptyCategory: 'В этой категории пока нет товаров',
});
