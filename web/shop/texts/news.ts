import { texts } from '../../kit/texts/catalogue';

export const newsTexts = texts('newsTexts', {
  title: 'Блог',
  lead: 'Как читать составы, ухаживать за кожей в нашем климате и что стоит за брендами.',
  posts: 'Записи блога',
  published: 'Опубликовано',
  empty: 'Записей пока нет',
  follow: (network: string) => `Мы в ${network}`,
  all: 'Все записи',
});
