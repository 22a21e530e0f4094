import { texts } from './catalogue';

export const popupsTexts = texts('popupsTexts', {
  successTitle: 'Все прошло хорошо.',
  successText: 'Спасибо! Мы получили Ваш заказ. Мы его уже собираем.',
  successClose: 'Продолжить покупки',
  errorTitle: 'Что-то пошло не так',
  errorText: 'Попробуйте оплатить ещё раз или свяжитесь с нами:',
  errorMail: 'по электронной почте',
  errorSocial: 'в социальной сети',
  errorRetry: 'Вернуться к оплате',
  close: 'Закрыть',
});
