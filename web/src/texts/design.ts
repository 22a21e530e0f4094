import { texts } from './catalogue';

/** Words of the parts that every page is made of. */
export const designTexts = texts('designTexts', {
  loading: 'Загружаем…',
  optional: '(необязательно)',
  priceNow: 'Цена со скидкой',
  priceOld: 'Старая цена',
  rating: (value: string) => `Рейтинг ${value} из 5`,
  notRated: 'Оценок пока нет',
  back: 'Назад',
  forward: 'Вперёд',
});

export const failureTexts = texts('failureTexts', {
  title: 'Не удалось загрузить.',
  hint: 'Проверьте связь и попробуйте ещё раз.',
  retry: 'Повторить',
  broken: 'Что-то пошло не так',
  reload: 'Обновить страницу',
});

export const breadcrumbsTexts = texts('breadcrumbsTexts', {
  label: 'Хлебные крошки',
  home: 'Главная',
  categories: 'Категории',
  brands: 'Бренды',
});
