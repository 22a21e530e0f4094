import { texts } from './catalogue';

export const accountTexts = texts('accountTexts', {
  menu: 'Личный кабинет',
  info: 'Личные данные',
  bonuses: 'Бонусная система',
  orders: 'Мои заказы',
  waiting: 'Жду поступления',
  signOut: 'Выйти',
  signingOut: 'Выходим…',
  mailed: 'Письмо отправлено. Проверьте почту и папку «Спам».',
  mailAgain: 'Отправить письмо ещё раз',
});
