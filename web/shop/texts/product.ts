import { texts } from '../../kit/texts/catalogue';
import { plural } from '../../kit/texts/plural';

export const productTexts = texts('productTexts', {
  unavailable: 'Нет в наличии',
  archived: 'Товар больше не продаётся',
  loginToSubscribe: 'Зайдите в аккаунт, чтобы подписаться на обновление товара',
  toBasket: 'В корзину',
  toBasketOf: (name: string) => `В корзину: ${name}`,
  addToBasket: 'Добавить в корзину',
  limit: (amount: number) => `Товар заканчивается, Вы можете заказать не больше ${amount} штук`,
  photos: 'Фотографии товара',
  photo: (index: number, of: number) => `Фото ${index} из ${of}`,
  marks: 'Сертификаты и свойства',
  article: (article: string) => `Артикул ${article}`,
  delivery: (city: string, before: string, sum: string) =>
    `${city}: заказ до ${before} привезём в тот же день, позже — на следующий. Бесплатно от ${sum}.`,
  about: 'О товаре',
  composition: 'Состав',
  expires: 'Условия хранения',
  applyMethod: 'Применение',
  reviews: 'Отзывы',
  reviewsWord: (count: number) => plural(count, 'отзыв', 'отзыва', 'отзывов'),
  noReviews: 'На данном товаре нет отзывов, оставьте его первым!',
  sortReviews: 'Порядок отзывов',
  sortNew: 'Новые',
  sortPhoto: 'С фото',
  noPhotoReviews: 'Отзывов с фото пока нет.',
  moreReviews: 'Показать ещё',
  writeReview: 'Оставить отзыв',
  openPhoto: (author: string, index: number, of: number) => `${author}: открыть фото ${index} из ${of}`,
  shopReply: 'Ответ магазина',
  similar: 'Похожие товары',
});

/** The counter of a line, which product cards carry too. */
export const stepperTexts = texts('stepperTexts', {
  quantity: (name: string) => `Количество: ${name}`,
  minus: 'Убрать одну штуку',
  plus: 'Добавить одну штуку',
});
