import { texts } from '../../kit/texts/catalogue';

/** Words of the parts that every page is made of. */
export const designTexts = texts('designTexts', {
  /** The language of the texts, for what is stored in several. */
  language: 'ru',
  loading: 'Загружаем…',
  priceNow: 'Цена со скидкой',
  priceOld: 'Старая цена',
  priceUntil: (day: string) => `до ${day}`,
  rating: (value: string) => `Рейтинг ${value} из 5`,
  notRated: 'Оценок пока нет',
});

/** The buttons of a row that turns; each also names its row. */
export const sliderTexts = texts('sliderTexts', {
  back: 'Назад',
  forward: 'Вперёд',
  pause: 'Остановить показ',
  play: 'Продолжить показ',
});

export const pagesTexts = texts('pagesTexts', {
  label: 'Страницы',
  page: (page: number) => `Страница ${page}`,
  previous: 'Предыдущая страница',
  next: 'Следующая страница',
});

export const shortenedTexts = texts('shortenedTexts', {
  more: 'Читать далее',
  less: 'Свернуть',
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
  back: (to: string) => `Назад: ${to}`,
  home: 'Главная',
  categories: 'Категории',
  brands: 'Бренды',
});
