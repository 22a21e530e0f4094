import { texts } from '../../kit/texts/catalogue';

export const loginTexts = texts('loginTexts', {
  title: 'Вход',
  email: 'E-mail',
  password: 'Пароль',
  submit: 'Войти',
  forgot: 'Забыли пароль?',
  newHere: 'Впервые у нас?',
  register: 'Зарегистрироваться',
  passwordChanged: 'Пароль изменён. Войдите с новым паролем.',
  noCookies: 'Браузер не сохраняет cookie: без них войти нельзя. Разрешите cookie для этого сайта.',
});

export const passkeyTexts = texts('passkeyTexts', {
  signIn: 'Войти с ключом доступа',
  left: 'Ключ доступа не использован. Попробуйте ещё раз.',
  title: 'Ключи доступа',
  lead: 'С ключом доступа Вы входите отпечатком пальца, лицом или кодом устройства, без пароля.',
  notHere: 'В этом браузере ключи доступа недоступны.',
  added: (date: string) => `Добавлен ${date}`,
  used: (date: string) => `использован ${date}`,
  remove: 'Удалить',
  removeOf: (name: string) => `Удалить ключ: ${name}`,
  add: 'Добавить ключ доступа',
  addText: 'Устройство попросит подтвердить, что это Вы. Пароль аккаунта останется.',
  name: 'Название',
  nameHint: 'Например, «Мой телефон»',
  cancel: 'Отмена',
  goOn: 'Продолжить',
});

export const registrationTexts = texts('registrationTexts', {
  title: 'Регистрация',
  firstName: 'Имя',
  lastName: 'Фамилия',
  phone: 'Телефон',
  email: 'E-mail',
  password: 'Пароль',
  passwordHint: 'Не короче 8 символов',
  passwordAgain: 'Повторите пароль',
  consentBefore: 'Согласен(на) на обработку персональных данных',
  consentLink: 'Политика конфиденциальности',
  consentNeeded: 'Нужно согласие на обработку персональных данных',
  submit: 'Создать аккаунт',
  known: 'Уже есть аккаунт?',
  login: 'Войти',
});

export const resetTexts = texts('resetTexts', {
  title: 'Восстановление пароля',
  lead: 'Введите e-mail аккаунта: мы отправим на него код из шести цифр.',
  sent: (email: string) =>
    `Если аккаунт с e-mail ${email} есть, код уже в пути. Он действует 15 минут: проверьте почту и папку «Спам».`,
  email: 'E-mail',
  code: 'Код из письма',
  password: 'Новый пароль',
  passwordHint: 'Не короче 8 символов',
  passwordAgain: 'Повторите пароль',
  send: 'Отправить код',
  save: 'Сменить пароль',
  otherEmail: 'Указать другой e-mail',
  login: 'Вернуться ко входу',
});

export const verifyTexts = texts('verifyTexts', {
  title: 'Подтверждение e-mail',
  checking: 'Проверяем ссылку…',
  done: 'E-mail подтверждён',
  doneText: 'Теперь в аккаунте видны все заказы, сделанные с этим адресом.',
  failed: 'Ссылка не подошла',
  failedText: 'Скорее всего, она устарела или после неё было отправлено новое письмо.',
  noToken: 'Откройте ссылку из письма целиком: в этом адресе нет её последней части.',
  toOrders: 'Мои заказы',
  login: 'Войти и получить новое письмо',
  choose:
    'Чтобы подтвердить e-mail, выберите новый пароль для этого аккаунта. Прежний пароль и все входы перестанут действовать.',
  owner:
    'Чтобы этот адрес стал e-mail аккаунта, введите пароль аккаунта. Если Вы ничего не меняли, закройте эту страницу.',
  currentPassword: 'Пароль аккаунта',
  submit: 'Подтвердить e-mail',
});

export const cancelEmailTexts = texts('cancelEmailTexts', {
  title: 'Отмена смены e-mail',
  lead: 'E-mail аккаунта останется прежним. Ссылка, отправленная на новый адрес, перестанет действовать.',
  submit: 'Отменить смену e-mail',
  done: 'Смена e-mail отменена',
  doneText: 'Если e-mail меняли не Вы, задайте новый пароль: старый кому-то известен.',
  toReset: 'Задать новый пароль',
  failed: 'Ссылка не подошла',
  failedText: 'Она устарела, уже использована, или e-mail уже сменили.',
});

export const takeBackTexts = texts('takeBackTexts', {
  title: 'Возврат e-mail',
  lead: 'Выберите новый пароль. Этот e-mail снова станет e-mail аккаунта, а на всех устройствах нужно будет войти снова.',
  submit: 'Вернуть e-mail',
  failed: 'Ссылка не подошла',
  failedText: 'Она устарела или уже использована. Если нужна помощь, напишите нам.',
});

export const newPasswordTexts = texts('newPasswordTexts', {
  title: 'Новый пароль',
  lead: 'Выберите новый пароль для аккаунта. Прежний пароль и все входы перестанут действовать.',
  submit: 'Сменить пароль',
  failed: 'Ссылка не подошла',
  failedText: 'Она действует 15 минут и только один раз. Попросите новое письмо.',
  again: 'Попросить новое письмо',
});

/** What an account is good for, beside the forms that lead to one. */
export const benefitsTexts = texts('benefitsTexts', {
  title: 'Что даёт аккаунт',
  orders: 'Статус каждого заказа и вся история покупок',
  bonuses: (percent: number) => `Бонусы за покупки: ${percent} % от суммы, 1\u00a0бонус\u00a0=\u00a01\u00a0₸`,
  restock: 'Письмо, когда нужный товар снова появится',
  checkout: 'Оформление за минуту: адрес уже заполнен',
});
