import { texts } from '../../kit/texts/catalogue';

export const accountTexts = texts('accountTexts', {
  menu: 'Личный кабинет',
  info: 'Личные данные',
  bonuses: 'Бонусная система',
  orders: 'Мои заказы',
  waiting: 'Жду поступления',
  security: 'Безопасность',
  signOut: 'Выйти',
  signingOut: 'Выходим…',
  mailed: 'Письмо отправлено. Проверьте почту и папку «Спам».',
  mailAgain: 'Отправить письмо ещё раз',
});

export const profileTexts = texts('profileTexts', {
  person: 'О Вас',
  firstName: 'Имя',
  lastName: 'Фамилия',
  phone: 'Телефон',
  email: 'E-mail',
  emailPassword: 'Текущий пароль',
  emailPasswordHint: 'Чтобы сменить e-mail, введите пароль аккаунта',
  address: 'Адрес доставки',
  street: 'Улица',
  house: 'Дом',
  floor: 'Этаж',
  apartment: 'Квартира',
  entrance: 'Подъезд',
  save: 'Сохранить',
  saved: 'Сохранено',
  choosePhoto: 'Выбрать фотографию',
  photoHint: 'PNG или JPEG, до 10 МБ',
  photoChosen: 'Фотография появится после сохранения',
  photoType: 'Загрузите фотографию в формате PNG или JPEG',
  photoSize: 'Фотография больше 10 МБ',
  emailNotice: 'E-mail не подтверждён',
  emailUnproved: (email: string) =>
    `Подтвердите e-mail: мы отправили письмо на ${email}. После этого здесь появятся и заказы, сделанные без входа.`,
  emailWanted: (wanted: string, email: string) =>
    `Мы отправили письмо на ${wanted}. Ссылка из него действует 24 часа. Пока она не открыта, для входа и писем служит ${email}.`,
  ownData: 'Ваши данные',
  ownDataText: 'Скачайте всё, что магазин о Вас знает, или закройте аккаунт.',
  export: 'Скачать мои данные',
  exporting: 'Собираем…',
  exportFile: 'account.json',
  leave: 'Удалить аккаунт',
  leaveTitle: 'Удалить аккаунт?',
  leaveGoes: 'Имя, контакты, адреса, фотографии, бонусы и подписки исчезнут. Вернуть их будет нельзя.',
  leaveStays: 'Заказы останутся в учёте магазина, но без имени, контактов и адреса.',
  leaveFirst: 'Незавершённые заказы сначала нужно получить или отменить.',
  password: 'Пароль',
  stay: 'Остаться',
  leaveYes: 'Удалить навсегда',
});

export const securityTexts = texts('securityTexts', {
  password: 'Пароль',
  passwordText:
    'После смены пароля на других устройствах нужно будет войти снова. Ключи доступа, отправленные раньше ссылки и коды перестанут действовать.',
  current: 'Текущий пароль',
  next: 'Новый пароль',
  nextHint: 'Не короче 8 символов',
  again: 'Повторите новый пароль',
  change: 'Сменить пароль',
  changed: 'Пароль изменён',
  sessions: 'Где выполнен вход',
  sessionsText: 'Если какое-то устройство Вам незнакомо, завершите вход на нём и смените пароль.',
  unknown: 'Неизвестное устройство',
  here: 'Это устройство',
  seen: (date: string, time: string) => `Последний раз ${date} в ${time}`,
  network: (network: string) => `сеть ${network}`,
  end: 'Завершить вход',
  endOf: (device: string) => `Завершить вход: ${device}`,
  endOthers: 'Завершить все другие входы',
});

export const bonusTexts = texts('bonusTexts', {
  balance: 'Бонусный баланс',
  purchases: 'Мои покупки',
  owed: 'Возвращённые бонусы уже были потрачены. Из следующих вычтем',
  terms: (earn: number, most: number) =>
    `За каждый оплаченный и завершённый заказ начисляем ${earn} % стоимости товаров. 1\u00a0бонус\u00a0=\u00a01\u00a0₸; бонусами можно оплатить до ${most} % товаров.`,
  history: 'История бонусов',
  empty: 'Бонусы появятся после первого завершённого заказа.',
  earned: 'Начислены',
  spent: 'Потрачены',
  returned: 'Возвращены',
  revoked: 'Отозваны',
  adjusted: 'Изменены магазином',
  order: (number: number) => `Заказ № ${number}`,
  left: 'Баланс',
  more: 'Показать ещё',
});

export const waitingTexts = texts('waitingTexts', {
  lead: 'Напишем, когда эти товары снова появятся.',
  empty: 'Вы пока не ждёте ни одного товара',
  toCatalog: 'Перейти в каталог',
  stop: 'Больше не жду',
  stopOf: (name: string) => `Больше не жду: ${name}`,
});
