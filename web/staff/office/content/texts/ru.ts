import { texts } from '../../../../kit/texts/catalogue';

export const contentTexts = texts('contentTexts', {
  title: 'Тексты и слайды',
  lead: 'Каждая правка — изменение: её видно в журнале, можно назначить на время и отменить.',
  blog: 'Блог',
  settings: 'Контакты, праздники, часы работы',
  none: 'Пока пусто',
  noSuch: 'Такого текста нет',
  all: 'Все тексты',
  open: 'Открыть на сайте',
  name: 'Где',
  kind: 'Что',
  text: 'Текст',
  russian: 'По-русски',
  kazakh: 'По-казахски',
  document: 'Документ',
  documents: 'Документы',
  version: 'Редакция',
  kinds: { slides: 'Слайды', text: 'Строка', page: 'Страница' },
  names: {
    'main-slider': 'Слайды на главной',
    'discount-text': 'Строка о скидках в оформлении заказа',
    about: 'О нас',
    delivery: 'Доставка: другие города и прочее',
    hero: 'Первый экран главной',
    advantages: 'Преимущества на главной',
    'about-teaser': 'О компании на главной',
    privacy: 'Политика конфиденциальности',
    offer: 'Публичная оферта',
  },
  /** How the text of a part of a page is arranged. */
  arranged: {
    hero: 'Текст перед заголовком стоит над ним. «#» — заголовок, абзацы под ним — подзаголовок, первая ссылка отдельной строкой — кнопка.',
    advantages: 'Текст перед первым заголовком — название раздела, каждый заголовок «##» начинает пункт.',
    'about-teaser': '«#» — заголовок, под ним текст, первая ссылка отдельной строкой — кнопка.',
  },
  addresses: {
    about: '/about',
    delivery: '/dostavka-i-skidki',
    advantages: '/#advantages',
    hero: '/',
    'about-teaser': '/',
    'main-slider': '/',
  },
  slides: (count: number) => `Слайдов: ${count}`,
  own: 'Свой текст',
  byDefault: 'Текст магазина',
  empty: 'Не написан',
  placeholders:
    'Из правил подставляются {minimum_sum}, {tiers}, {main_city}, {delivery_price}, {free_from}, {same_day_until}.',
  changeOf: (name: string) => `Текст: ${name}`,
});

export const documentTexts = texts('documentTexts', {
  titleIn: (label: string) => `Заголовок, ${label.toLowerCase()}`,
  inForce: (version: string) =>
    `На сайте — редакция ${version}. Каждая публикация — новая редакция; заказы хранят ту, с которой согласились.`,
  byDefault:
    'На сайте — текст магазина. Каждая публикация — новая редакция; заказы хранят ту, с которой согласились.',
  page: 'Страница',
  pdf: 'PDF',
  placeholders: 'При публикации подставляются {version} и {date}.',
  half: 'Казахскому тексту нужны и заголовок, и текст; можно оставить пустыми оба.',
  publish: 'Опубликовать редакцию',
  withdraw: 'Вернуть текст магазина',
  changeOf: (name: string) => `Документ: ${name}`,
  withdrawalOf: (name: string) => `Документ снят: ${name}`,
});

export const writingTexts = texts('writingTexts', {
  hint: 'Markdown: # заголовок, **жирный**, - список, [ссылка](/адрес). Небезопасное не попадёт на сайт.',
  addPicture: 'Вставить фотографии',
  altHere: 'что на фотографии',
  beginWith: 'Начать с текста магазина',
  preview: 'Так увидят покупатели',
  ownText: 'Сейчас на сайте — текст магазина',
  previewOf: (label: string) => `Предпросмотр: ${label}`,
});

export const slideTexts = texts('slideTexts', {
  alt: (at: number) => `Слайд ${at}: что на картинке`,
  url: (at: number) => `Слайд ${at}: куда ведёт`,
  earlier: (at: number) => `Слайд ${at} раньше`,
  later: (at: number) => `Слайд ${at} позже`,
  remove: (at: number) => `Убрать слайд ${at}`,
  add: 'Добавить слайды',
});

export const publishTexts = texts('publishTexts', {
  publish: 'Опубликовать',
  lookFirst: 'Сначала посмотреть',
  at: 'Когда, по времени Алматы (если не заполнить — сразу)',
  published: 'Опубликовано.',
  scheduled: 'Назначено на время.',
  waits: 'Ждёт одобрения второго человека.',
  nothing: 'Ничего не изменилось.',
  change: 'Открыть изменение',
});

export const blogTexts = texts('blogTexts', {
  title: 'Блог',
  lead: 'Каждая правка — изменение: её можно назначить на время и отменить.',
  add: 'Новая статья',
  edit: 'Статья',
  all: 'Все статьи',
  none: 'Статей пока нет',
  postTitle: 'Заголовок',
  date: 'Дата',
  state: 'Состояние',
  shown: 'На сайте',
  hidden: 'Скрыта',
  link: 'Ссылка',
  linkHint: 'a–z, 0–9, «-» и «_»',
  badLink: 'Только a–z, 0–9, «-» и «_»',
  taken: 'Такая ссылка есть у другой статьи',
  excerpt: 'Краткое описание для списков',
  cover: 'Картинка',
  removeCover: 'Убрать картинку',
  alt: 'Что на картинке',
  text: 'Текст статьи',
  needed: 'Заполните',
  wrong: 'Проверьте поля с ошибками',
  hide: 'Скрыть',
  hideOf: (title: string) => `Скрыть статью «${title}»`,
  changeOf: (title: string) => `Статья «${title}»`,
});
