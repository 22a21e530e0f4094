import { texts } from '../../kit/texts/catalogue';

export const aboutTexts = texts('aboutTexts', {
  title: 'О нас',
  lead: 'Мы хотим, чтобы органические товары были так же доступны казахстанцам, как европейцам.',
  toNews: 'Читать блог',
  toCatalog: 'Перейти в каталог',
});

export const documentTexts = texts('documentTexts', {
  edition: (version: string, date: string) => `Редакция ${version} от ${date}`,
  former: 'Это прежняя редакция.',
  current: 'Открыть действующую',
  file: 'Открыть в PDF',
  versions: 'Все редакции',
  description: (title: string) => `${title} интернет-магазина: действующая редакция и все прежние.`,
});

export const deliveryTexts = texts('deliveryTexts', {
  title: 'Доставка и скидки',
  description: 'Скидки на заказ, стоимость и сроки доставки по Алматы и Казахстану.',
  discounts: 'Скидки',
  discountsText: 'Скидка действует на весь заказ и считается сама.',
  sum: 'Сумма заказа',
  discount: 'Скидка',
  tierFirst: (to: string) => `до ${to}`,
  tierBetween: (from: string, to: string) => `от ${from} до ${to}`,
  tierLast: (from: string) => `от ${from}`,
  noDiscount: 'нет',
  percent: (percent: number) => `${percent} %`,
  city: (city: string) => `Доставка по городу ${city}`,
  price: (price: string, free: string) => `Стоимость ${price}, бесплатно от ${free}.`,
  when: (before: string) => `Заказы до ${before} доставляем в тот же день, позже — на следующий.`,
  noDelivery: (days: string) => `Не доставляем: ${days}.`,
  minimum: 'Минимальный заказ',
  minimumText: (sum: string) => `Минимальная сумма заказа ${sum}.`,
  returns: 'Возврат',
  weekdays: ['понедельник', 'вторник', 'среда', 'четверг', 'пятница', 'суббота', 'воскресенье'],
});

export const bannersTexts = texts('bannersTexts', {
  label: 'Предложения',
  slide: (place: number) => `Предложение ${place}`,
});
