import { texts } from '../../../../kit/texts/catalogue';

export const waitingTexts = texts('waitingTexts', {
  title: 'Ждут товар',
  lead: 'Чего нет в наличии и кто просил сообщить. Когда товар примут на склад, письма уйдут сами.',
  what: 'списки ожидания',
  none: 'Никто ничего не ждёт',
  noneWhy: 'Покупатели подписываются на странице товара, которого нет.',
  product: 'Товар',
  archived: 'в архиве',
  waiting: 'Ждут',
  since: 'С каких пор',
  last: 'последний',
  stock: 'В наличии',
  stockOf: (all: string, held: string) => `на складе ${all}, в заказах ${held}`,
  actions: 'Действия',
  who: 'Кто ждёт',
  whoFor: (product: string) => `Кто ждёт: ${product}`,
  nobody: 'Уже никто',
  name: 'Имя',
  contact: 'Контакты',
  erased: 'данные удалены',
});
