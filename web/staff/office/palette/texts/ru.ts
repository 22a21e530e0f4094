import { texts } from '../../../../kit/texts/catalogue';

export const paletteTexts = texts('paletteTexts', {
  title: 'Быстрый переход',
  query: 'Экран, номер заказа, товар или покупатель',
  none: 'Ничего не найдено',
  found: (n: number) => `Найдено: ${n}`,
  screen: 'экран',
  order: 'заказ',
  product: 'товар',
  customer: 'покупатель',
  orderNumber: (number: string) => `Заказ ${number}`,
  add: 'Новый товар',
  count: 'Пересчёт склада',
});
