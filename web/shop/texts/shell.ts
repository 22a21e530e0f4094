import { texts } from '../../kit/texts/catalogue';

export const announcementTexts = texts('announcementTexts', {
  label: 'Объявление',
  freeDelivery: (city: string, sum: string) => `${city}: доставка бесплатно от ${sum}`,
});

export const languageTexts = texts('languageTexts', {
  label: 'Язык',
});

export const connectionTexts = texts('connectionTexts', {
  lost: 'Нет связи. Показываем то, что уже загружено: цены и наличие могли измениться.',
});

export const headerTexts = texts('headerTexts', {
  skipToContent: 'К содержанию',
  home: (shop: string) => `${shop}, на главную`,
  nav: 'Основное меню',
  menu: 'Меню',
  openMenu: 'Открыть меню',
  closeMenu: 'Закрыть меню',
  search: 'Поиск',
  account: 'Личный кабинет',
  basket: (count: number) => `Корзина, товаров: ${count}`,
  privacy: 'Политика конфиденциальности',
  offer: 'Публичная оферта',
});

export const footerTexts = texts('footerTexts', {
  catalog: 'Каталог',
  buyers: 'Покупателям',
  contacts: 'Связаться',
  documents: 'Документы',
});

export const notFoundTexts = texts('notFoundTexts', {
  title: 'Упс. Мы не нашли такую страницу',
  back: 'Вернуться назад',
});
