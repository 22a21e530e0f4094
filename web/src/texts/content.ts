import { texts } from './catalogue';

export const aboutTexts = texts('aboutTexts', {
  title: 'О нас',
  lead: 'Мы хотим, чтобы органические товары были так же доступны казахстанцам, как европейцам.',
  quality: 'Качество',
  qualityText: 'Берём только то, чем пользуемся сами, и храним так, как просит производитель.',
  benefit: 'Польза',
  benefitText: 'Полные составы по международным правилам INCI: видно, что работает и зачем оно в формуле.',
  brands: 'Бренды',
  brandsText: 'Работаем с марками, которые не тестируют продукцию на животных.',
  organic: 'Органика',
  organicText: 'Независимые органические сертификаторы ежегодно проверяют сырьё и производство.',
  toCatalog: 'Перейти в каталог',
});

export const deliveryTexts = texts('deliveryTexts', {
  title: 'Доставка и скидки',
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
  elsewhere: 'Другие города',
  elsewhereText: 'Доставка курьерской компанией: рассчитывается отдельно и оплачивается курьеру.',
  minimum: 'Минимальный заказ',
  minimumText: (sum: string) => `Минимальная сумма заказа ${sum}.`,
  returns: 'Возврат',
  returnsText:
    'По закону о защите прав потребителей парфюмерия и косметика надлежащего качества возврату и обмену не подлежат.',
  weekdays: ['понедельник', 'вторник', 'среда', 'четверг', 'пятница', 'суббота', 'воскресенье'],
});

export const bannersTexts = texts('bannersTexts', {
  label: 'Предложения',
  slide: (place: number) => `Предложение ${place}`,
});
