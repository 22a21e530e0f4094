import { texts } from './catalogue';

export const categoriesTexts = texts('categoriesTexts', {
  title: 'Категории',
  menu: 'Разделы каталога',
  view: 'Смотреть товары',
  popularBrands: 'Популярные бренды',
  allBrands: 'Все бренды',
  empty: 'Категорий пока нет',
});
