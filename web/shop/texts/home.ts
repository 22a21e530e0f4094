import { texts } from '../../kit/texts/catalogue';

export const homeTexts = texts('homeTexts', {
  title: 'Натуральная и органическая косметика в Казахстане',
  description:
    'Натуральная косметика и товары для дома с полным составом по INCI: бренды с ежегодной независимой сертификацией, доставка по Казахстану.',
  heroAlt: 'Флаконы и баночки на каменных подставках в тени листвы',
  advantages: 'Преимущества',
  popular: 'Популярное',
  allProducts: 'Все товары',
  categories: 'Категории',
  allCategories: 'Весь каталог',
  brands: 'Бренды',
  allBrands: 'Все бренды',
  fresh: 'Новинки',
  about: 'О компании',
});
