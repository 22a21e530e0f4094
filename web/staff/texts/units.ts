import { texts } from '../../kit/texts/catalogue';

/** The short names of units behind a number. */
export const unitTexts = texts('unitTexts', {
  ms: 'мс',
  s: 'с',
  min: 'мин',
  h: 'ч',
  d: 'д',
  bytes: ['Б', 'КБ', 'МБ', 'ГБ', 'ТБ'] as string[],
});
