import { texts } from '../../kit/texts/catalogue';

export const searchTexts = texts('searchTexts', {
  label: 'Поиск по магазину',
  placeholder: 'Название, бренд или состав',
  submit: 'Найти',
  close: 'Закрыть поиск',
  suggestions: 'Подсказки',
  brand: 'бренд',
  category: 'категория',
  product: 'товар',
  corrected: (text: string) => `Искали по запросу «${text}».`,
  results: 'Результаты поиска',
  found: (count: number) => `Нашлось: ${count}`,
  nothing: 'По вашему запросу ничего не нашлось',
  add: 'Добавить в корзину',
  inBasket: 'В корзине',
});
