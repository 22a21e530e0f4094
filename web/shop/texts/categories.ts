import { texts } from '../../kit/texts/catalogue';

export const categoriesTexts = texts('categoriesTexts', {
  title: 'Категории',
  description: 'Каталог натуральной косметики и товаров для дома по категориям.',
  menu: 'Разделы каталога',
  view: 'Смотреть товары',
  popularBrands: 'Популярные бренды',
  allBrands: 'Все бренды',
  empty: 'Категорий пока нет',
});
