import { orderListKazakh } from '../analytics/orders/texts/kk';
import { analyticsKazakh } from '../analytics/texts/kk';
import { changesKazakh } from '../office/changes/texts/kk';
import { contentKazakh } from '../office/content/texts/kk';
import { customersKazakh } from '../office/customers/texts/kk';
import { groupsKazakh } from '../office/groups/texts/kk';
import { importsKazakh } from '../office/imports/texts/kk';
import { deadMailKazakh } from '../office/letters/texts/kk';
import { noticesKazakh } from '../office/notices/texts/kk';
import { editKazakh } from '../office/orders/edit/texts/kk';
import { paletteKazakh } from '../office/palette/texts/kk';
import { parcelKazakh } from '../office/parcels/texts/kk';
import { paymentsKazakh } from '../office/payments/texts/kk';
import { phoneKazakh } from '../office/phone/texts/kk';
import { productsKazakh } from '../office/products/texts/kk';
import { promocodeKazakh } from '../office/promocodes/texts/kk';
import { reviewsKazakh } from '../office/reviews/texts/kk';
import { settingsKazakh } from '../office/settings/texts/kk';
import { teamKazakh } from '../office/staff/texts/kk';
import { stockKazakh } from '../office/stock/texts/kk';
import { officeKazakh } from '../office/texts/kk';
import { waitingKazakh } from '../office/waiting/texts/kk';
import { wordingKazakh } from '../office/wording/texts/kk';
import { operationsKazakh } from '../operations/texts/kk';
import { count } from '../parts/format';
import type { Catalogue, StaffTexts } from './catalogue';

/** After a number a noun stays as it is. */
const counted = (noun: string) => (n: number) => `${count(n)} ${noun}`;

const staffKazakh: StaffTexts = {
  fieldTexts: { optional: '(міндетті емес)' },
  unitTexts: { ms: 'мс', s: 'с', min: 'мин', h: 'сағ', d: 'күн', bytes: ['Б', 'КБ', 'МБ', 'ГБ', 'ТБ'] },
  frameTexts: {
    office: 'Дүкен',
    operations: 'Жүйе',
    analytics: 'Аналитика',
    toContent: 'Мазмұнға',
    screens: 'Бөлімдер',
    menu: 'Мәзір',
    language: 'Тіл',
    offline: 'Байланыс жоқ. Жүктелгені көрініп тұр, бірақ ескіруі мүмкін.',
    roles: {
      admin: 'Әкімші',
      manager: 'Менеджер',
      catalog: 'Каталог',
      warehouse: 'Қойма',
      courier: 'Курьер',
      support: 'Қолдау',
      content: 'Контент',
      analyst: 'Талдаушы',
      operator: 'Жүйе операторы',
    },
    account: 'Менің аккаунтым',
    signOut: 'Шығу',
    stillSignedIn: 'Сіз әлі жүйедесіз: дүкен жауап бермеді.',
    testBankShort: 'Сынақ банкі',
    testBank: 'Сынақ банкі: ақша алынбайды, төленген деген тапсырыс төленбеген',
  },
  appTexts: {
    page: 'бет',
    notLoaded: 'Бұл экран жүктелмеді',
    notLoadedWhy: 'Дүкен жауап бермеді немесе оның жаңа нұсқасы шықты.',
    reload: 'Бетті қайта жүктеу',
    notYours: 'Сіздің рөліңіз мұны көрсетпейді',
    notYoursWhy: (role, permission) =>
      `${role} рөлінде ${permission} құқығы жоқ. Басқа рөлді әкімші бере алады.`,
    noScreen: 'Мұндай экран жоқ',
    chooseAbove: 'Жоғарыдан бөлім таңдаңыз.',
  },
  clientTexts: {
    unreachable: 'Дүкен жауап бермейді. Байланысты тексеріп, қайталап көріңіз.',
    answered: (status) => `Дүкен ${status} деп жауап берді. Қайталап көріңіз.`,
  },
  partsTexts: {
    never: 'ешқашан',
    notLoaded: (what) => `Жүктелмеді: ${what}.`,
    tryAgain: 'Қайталап көру',
    loading: 'Жүктелуде…',
    masked: 'Дербес деректер Сіздің рөліңізден жасырылған.',
    stepUpNote: 'Екінші факторды көрсеткенше дербес деректер жасырын. Ол 12 сағат жарамды.',
    stepUpShow: 'Деректерді көрсету',
    leaveIt: 'Керек емес',
    working: 'Орындалуда…',
    actions: 'Әрекеттер',
    yes: 'иә',
    no: 'жоқ',
    mustBeWhole: 'Бүтін сан керек.',
    testPayment: '**Сынақ төлемі.** Тапсырыс төленген деп тұрса да, сынақ банкі ақша алмайды.',
  },
  countTexts: {
    events: counted('оқиға'),
    newEvents: counted('жаңа оқиға'),
    streams: counted('ағын'),
    rows: counted('жол'),
    processes: counted('процесс'),
    ranges: counted('ауқым'),
    deadLetters: counted('қабылданбаған оқиға'),
    projections: counted('проекция'),
    pieces: counted('дана'),
    movements: counted('қозғалыс'),
    products: counted('тауар'),
    orders: counted('тапсырыс'),
    baskets: counted('себет'),
    columns: counted('баған'),
    letters: counted('хат'),
    readModels: counted('проекция'),
  },
  ownTexts: {
    title: 'Менің аккаунтым',
    lead: 'Қалай кіресіз және қай жерде кірілген.',
    email: 'E-mail',
    role: 'Рөл',
    needed: 'Өрісті толтырыңыз.',
    sessions: 'Қай жерде кірілген',
    here: 'осы құрылғы',
    unknown: 'Белгісіз құрылғы',
    seen: 'Соңғы рет',
    network: (network) => `${network} желісі`,
    end: 'Аяқтау',
    endOf: (device) => `Кіруді аяқтау: ${device}`,
    endOthers: 'Барлық басқа кіруді аяқтау',
    password: 'Құпиясөз',
    passwordWhy: 'Құпиясөз ауысқаннан кейін басқа кірулер аяқталады, кіру кілттерін қайта қосу керек.',
    currentPassword: 'Қазіргі құпиясөз',
    change: 'Құпиясөзді ауыстыру',
    codesWhy: 'Жаңа кодтар бұрынғыларды алмастырады. Әрқайсысы қолданбасыз бір рет кіргізеді.',
    renew: 'Жаңа қосалқы кодтар алу',
    authenticator: 'Код қолданбасы',
    authenticatorWhy:
      'Басқа қолданбаны немесе телефонды қосу үшін құпиясөз бен кодты енгізіңіз. Жаңасы расталғанша бұрынғы қолданба жұмыс істейді.',
    replace: 'Басқа қолданбаны қосу',
    confirmNew: 'Жаңа қолданбаны растау',
    replaced: 'Код қолданбасы ауыстырылды.',
    passkeySignIn: 'Кіру кілтімен кіру',
    passkeyConfirm: 'Кіру кілтімен растау',
    passkeyLeft: 'Кіру кілті қолданылмады. Қайта көріңіз.',
    passkeys: 'Кіру кілттері',
    passkeysWhy:
      'Кіру кілтімен құпиясөз бен қолданба кодынсыз, саусақ ізімен, бетпен немесе құрылғы кодымен кіресіз.',
    passkeysNotHere: 'Бұл браузерде кіру кілттері қолжетімсіз.',
    passkeyName: 'Кілттің атауы',
    passkeyNameHint: 'Мысалы, «Жұмыс ноутбугі».',
    addPasskey: 'Кіру кілтін қосу',
    added: 'Қосылған',
    used: 'қолданылған',
    remove: 'Жою',
    removeOf: (name) => `Кілтті жою: ${name}`,
    confirm: 'Бұл Сіз екеніңізді растаңыз',
    confirmWhy: 'Бұл әрекет үшін соңғы бес минутта енгізілген код керек.',
    goOn: 'Жалғастыру',
    leave: 'Орындамау',
  },
  sessionTexts: {
    signIn: 'Кіру',
    enterCode: 'Кодты енгізіңіз',
    setUp: 'Код қолданбасын қосыңыз',
    email: 'E-mail',
    password: 'Құпиясөз',
    scan: 'Кодты бір реттік кодтар қолданбасымен сканерлеңіз немесе оған кілтті енгізіңіз. Содан кейін ол көрсеткен кодты енгізіңіз.',
    key: 'Кілт',
    qr: 'Қолданбаға арналған QR-код',
    openHere: 'Қолданбаны осы құрылғыда ашу',
    openYours: 'Код қолданбасын ашыңыз немесе телефон жоғалса, қосалқы кодты енгізіңіз.',
    codeOrRecovery: 'Код немесе қосалқы код',
    sixDigits: 'Алты таңбалы код',
    checking: 'Тексерілуде…',
    goOn: 'Әрі қарай',
    enter: 'Кіру',
    other: 'Басқа аккаунт',
    saveCodes: 'Қосалқы кодтарды сақтаңыз',
    saveCodesWhy:
      'Телефон жоғалса, әрқайсысы қолданбасыз бір рет кіргізеді. Олар тек қазір көрінеді: құпиясөздермен бірге сақтаңыз.',
    recoveryCodes: 'Қосалқы кодтар',
    copyAll: 'Барлығын көшіру',
    saved: 'Кодтар сақталды',
    choose: 'Құпиясөз ойлап табыңыз',
    newPassword: 'Жаңа құпиясөз',
    atLeast: (least) => `Кемінде ${least} таңба.`,
    atLeastHint: (least) => `Кемінде ${least} таңба. Бірнеше сөз жақсы болады.`,
    guessable: 'Бұл құпиясөз жиі кездеседі немесе e-mail-дан не дүкен атауынан тұрады. Басқасын таңдаңыз.',
    again: 'Тағы бір рет',
    differ: 'Құпиясөздер сәйкес емес.',
    set: 'Құпиясөзді сақтау',
    setting: 'Сақталуда…',
    incomplete: 'Сілтеме толық емес',
    incompleteWhy: 'Сілтемені соңғы таңбасына дейін толық ашыңыз немесе әкімшіден басқасын сұраңыз.',
    toSignIn: 'Кіруге',
    isSet: 'Құпиясөз сақталды',
    isSetWhy: 'Енді онымен кіріңіз. Бірінші рет код қолданбасын да қосасыз.',
  },
};

/** The staff app in Kazakh. */
export const kazakh: Catalogue = {
  ...staffKazakh,
  ...officeKazakh,
  ...editKazakh,
  ...reviewsKazakh,
  ...productsKazakh,
  ...settingsKazakh,
  ...wordingKazakh,
  ...groupsKazakh,
  ...importsKazakh,
  ...contentKazakh,
  ...paletteKazakh,
  ...stockKazakh,
  ...changesKazakh,
  ...waitingKazakh,
  ...promocodeKazakh,
  ...deadMailKazakh,
  ...customersKazakh,
  ...parcelKazakh,
  ...paymentsKazakh,
  ...noticesKazakh,
  ...phoneKazakh,
  ...teamKazakh,
  ...operationsKazakh,
  ...analyticsKazakh,
  ...orderListKazakh,
};
