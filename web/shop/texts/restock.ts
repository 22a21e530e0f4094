import { texts } from '../../kit/texts/catalogue';

export const restockTexts = texts('restockTexts', {
  notify: 'Сообщить о поступлении',
  notifyOf: (name: string) => `Сообщить о поступлении: ${name}`,
  subscribe: 'Подписаться на обновление',
  subscribed: 'Вы успешно подписаны на данный товар',
  already: 'Вы уже подписаны',
  failed: 'Не удалось подписаться. Проверьте связь и попробуйте ещё раз.',
});
