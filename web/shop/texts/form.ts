import { texts } from '../../kit/texts/catalogue';

/** Words that the forms of an account share. */
export const formTexts = texts('formTexts', {
  required: '* Заполните поле',
  emailWrong: 'Email введен неверно',
  phoneIncomplete: 'Введите номер полностью',
  phonePlaceholder: '+7 (7__) ___-__-__',
  passwordsDiffer: 'Пароли не совпадают',
  passwordShort: 'Пароль: от 8 до 256 символов',
  passwordCommon: 'Этот пароль слишком часто встречается. Придумайте другой',
  passwordOwn: 'Пароль не должен состоять из e-mail, имени или названия магазина',
  show: 'Показать',
  hide: 'Скрыть',
  showPassword: (label: string) => `Показать, что введено: ${label}`,
  failed: 'Не удалось отправить. Проверьте связь и попробуйте ещё раз.',
  sending: 'Отправляем…',
});
