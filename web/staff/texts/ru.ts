import { texts } from '../../kit/texts/catalogue';
import { plural } from '../../kit/texts/plural';
import { count } from '../parts/format';

/** The frame around every screen. */
export const frameTexts = texts('frameTexts', {
  office: 'Магазин',
  operations: 'Система',
  analytics: 'Аналитика',
  toContent: 'К содержанию',
  screens: 'Разделы',
  menu: 'Меню',
  language: 'Язык',
  offline: 'Нет связи. То, что уже загружено, видно и могло устареть.',
  roles: {
    admin: 'Администратор',
    manager: 'Менеджер',
    catalog: 'Каталог',
    warehouse: 'Склад',
    courier: 'Курьер',
    support: 'Поддержка',
    content: 'Контент',
    analyst: 'Аналитик',
    operator: 'Оператор системы',
  },
  account: 'Мой аккаунт',
  signOut: 'Выйти',
  stillSignedIn: 'Вы всё ещё в системе: магазин не ответил.',
  testBankShort: 'Тестовый банк',
  testBank: 'Тестовый банк: деньги не списываются, и оплаченный заказ не оплачен',
});

export const appTexts = texts('appTexts', {
  page: 'страница',
  notLoaded: 'Этот экран не загрузился',
  notLoadedWhy: 'Магазин не ответил, или вышла его новая версия.',
  reload: 'Загрузить страницу заново',
  notYours: 'Ваша роль этого не показывает',
  notYoursWhy: (role: string, permission: string) =>
    `У роли ${role} нет права ${permission}. Другую роль может дать администратор.`,
  noScreen: 'Такого экрана нет',
  chooseAbove: 'Выберите раздел выше.',
});

export const clientTexts = texts('clientTexts', {
  unreachable: 'Магазин не отвечает. Проверьте связь и попробуйте ещё раз.',
  answered: (status: number) => `Магазин ответил ${status}. Попробуйте ещё раз.`,
});

/** Parts that every screen is made of. */
export const partsTexts = texts('partsTexts', {
  never: 'никогда',
  notLoaded: (what: string) => `Не загрузилось: ${what}.`,
  tryAgain: 'Попробовать ещё раз',
  loading: 'Загружаем…',
  masked: 'Персональные данные скрыты от Вашей роли.',
  stepUpNote: 'Персональные данные скрыты, пока Вы не покажете второй фактор. Он действует 12 часов.',
  stepUpShow: 'Показать данные',
  leaveIt: 'Не надо',
  working: 'Выполняем…',
  actions: 'Действия',
  yes: 'да',
  no: 'нет',
  mustBeWhole: 'Нужно целое число.',
  testPayment: '**Тестовая оплата.** Тестовый банк не списывает денег, даже если заказ отмечен оплаченным.',
});

const counted = (one: string, few: string, many: string) => (n: number) =>
  `${count(n)} ${plural(n, one, few, many)}`;

/** A number with what it counts. */
export const countTexts = texts('countTexts', {
  events: counted('событие', 'события', 'событий'),
  newEvents: counted('новое событие', 'новых события', 'новых событий'),
  streams: counted('поток', 'потока', 'потоков'),
  rows: counted('строка', 'строки', 'строк'),
  processes: counted('процесс', 'процесса', 'процессов'),
  ranges: counted('диапазон', 'диапазона', 'диапазонов'),
  deadLetters: counted('непринятое событие', 'непринятых события', 'непринятых событий'),
  projections: counted('проекция', 'проекции', 'проекций'),
  pieces: counted('штука', 'штуки', 'штук'),
  movements: counted('движение', 'движения', 'движений'),
  products: counted('товар', 'товара', 'товаров'),
  orders: counted('заказ', 'заказа', 'заказов'),
  baskets: counted('корзина', 'корзины', 'корзин'),
  columns: counted('столбец', 'столбца', 'столбцов'),
  letters: counted('письмо', 'письма', 'писем'),
  readModels: counted('проекция', 'проекции', 'проекций'),
});

export const sessionTexts = texts('sessionTexts', {
  signIn: 'Вход',
  enterCode: 'Введите код',
  setUp: 'Подключите приложение для кодов',
  email: 'E-mail',
  password: 'Пароль',
  scan: 'Отсканируйте код приложением для одноразовых кодов или введите в него ключ. Затем введите код, который оно покажет.',
  key: 'Ключ',
  qr: 'QR-код для приложения',
  openHere: 'Открыть приложение на этом устройстве',
  openYours: 'Откройте приложение для кодов или введите резервный код, если телефон потерян.',
  codeOrRecovery: 'Код или резервный код',
  sixDigits: 'Код из шести цифр',
  checking: 'Проверяем…',
  goOn: 'Далее',
  enter: 'Войти',
  other: 'Другой аккаунт',
  saveCodes: 'Сохраните резервные коды',
  saveCodesWhy:
    'Каждый впустит один раз без приложения, если телефон потерян. Они видны только сейчас: храните их там же, где пароли.',
  recoveryCodes: 'Резервные коды',
  copyAll: 'Скопировать все',
  saved: 'Коды сохранены',
  choose: 'Придумайте пароль',
  newPassword: 'Новый пароль',
  atLeast: (least: number) => `Не меньше ${least} знаков.`,
  atLeastHint: (least: number) => `Не меньше ${least} знаков. Хорошо подойдут несколько слов.`,
  guessable: 'Этот пароль часто встречается или состоит из e-mail либо названия магазина. Выберите другой.',
  again: 'Ещё раз',
  differ: 'Пароли не совпадают.',
  set: 'Сохранить пароль',
  setting: 'Сохраняем…',
  incomplete: 'Ссылка неполная',
  incompleteWhy: 'Откройте ссылку целиком, до последнего знака, или попросите у администратора другую.',
  toSignIn: 'Ко входу',
  isSet: 'Пароль сохранён',
  isSetWhy: 'Теперь войдите с ним. В первый раз Вы также подключите приложение для кодов.',
});

/** One's own account: sessions, password, recovery codes, authenticator, and the second factor asked for again. */
export const ownTexts = texts('ownTexts', {
  title: 'Мой аккаунт',
  lead: 'Как Вы входите и где выполнен вход.',
  email: 'E-mail',
  role: 'Роль',
  needed: 'Заполните поле.',
  sessions: 'Где выполнен вход',
  here: 'это устройство',
  unknown: 'Неизвестное устройство',
  seen: 'Последний раз',
  network: (network: string) => `сеть ${network}`,
  end: 'Завершить',
  endOf: (device: string) => `Завершить вход: ${device}`,
  endOthers: 'Завершить все другие входы',
  password: 'Пароль',
  passwordWhy: 'После смены пароля другие входы завершатся, а ключи доступа нужно будет добавить снова.',
  currentPassword: 'Текущий пароль',
  change: 'Сменить пароль',
  codesWhy: 'Новые коды заменят прежние. Каждый впускает один раз без приложения.',
  renew: 'Получить новые резервные коды',
  authenticator: 'Приложение для кодов',
  authenticatorWhy:
    'Чтобы подключить другое приложение или телефон, введите пароль и код. Прежнее приложение действует, пока новое не подтверждено.',
  replace: 'Подключить другое приложение',
  confirmNew: 'Подтвердить новое приложение',
  replaced: 'Приложение для кодов заменено.',
  passkeySignIn: 'Войти с ключом доступа',
  passkeyConfirm: 'Подтвердить ключом доступа',
  passkeyLeft: 'Ключ доступа не использован. Попробуйте ещё раз.',
  passkeys: 'Ключи доступа',
  passkeysWhy:
    'С ключом доступа Вы входите отпечатком пальца, лицом или кодом устройства, без пароля и кода приложения.',
  passkeysNotHere: 'В этом браузере ключи доступа недоступны.',
  passkeyName: 'Название ключа',
  passkeyNameHint: 'Например, «Рабочий ноутбук».',
  addPasskey: 'Добавить ключ доступа',
  added: 'Добавлен',
  used: 'использован',
  remove: 'Удалить',
  removeOf: (name: string) => `Удалить ключ: ${name}`,
  confirm: 'Подтвердите, что это Вы',
  confirmWhy: 'Для этого действия нужен код, введённый не раньше пяти минут назад.',
  goOn: 'Продолжить',
  leave: 'Не выполнять',
});
