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
  near: 'Может подойти',
  needs: 'Для чего',
  /** A need of the lexicon, which has it in both languages. */
  need: (russian: string, _kazakh: string) => russian,
  add: 'Добавить в корзину',
  inBasket: 'В корзине',
});
