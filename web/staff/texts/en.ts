import { analyticsEnglish } from '../analytics/texts/en';
import { officeEnglish } from '../office/texts/en';
import { operationsEnglish } from '../operations/texts/en';
import { count } from '../parts/format';
import type { Catalogue, StaffTexts } from './catalogue';

const counted = (one: string, many: string) => (n: number) => `${count(n)} ${n === 1 ? one : many}`;

const staffEnglish: StaffTexts = {
  fieldTexts: { optional: '(optional)' },
  unitTexts: { ms: 'ms', s: 's', min: 'min', h: 'h', d: 'd', bytes: ['B', 'KB', 'MB', 'GB', 'TB'] },
  frameTexts: {
    office: 'Shop',
    operations: 'Operations',
    analytics: 'Analytics',
    toContent: 'To the content',
    screens: 'Screens',
    language: 'Language',
    offline: 'This device is offline. What was loaded still shows and may be old.',
    as: (role) => `as ${role}`,
    signOut: 'Sign out',
    stillSignedIn: 'You are still signed in: the shop did not answer.',
    testBankShort: 'Test bank',
    testBank: 'Test bank: no money is taken, and a paid order is not paid',
  },
  appTexts: {
    page: 'The page',
    notLoaded: 'This screen did not load',
    notLoadedWhy: 'The shop could not be reached, or a new version of it is there.',
    reload: 'Load the page again',
    notYours: 'Your role does not show this',
    notYoursWhy: (role, permission) =>
      `The role ${role} lacks the permission ${permission}. An admin can give you another role.`,
    noScreen: 'There is no such screen',
    chooseAbove: 'Choose one above.',
  },
  clientTexts: {
    unreachable: 'The shop could not be reached. Check the connection and try again.',
    answered: (status) => `The shop answered ${status}. Try again.`,
  },
  partsTexts: {
    never: 'never',
    notLoaded: (what) => `${what} did not load.`,
    tryAgain: 'Try again',
    loading: 'Loading',
    masked: 'Personal data, hidden from your role.',
    leaveIt: 'Leave it',
    working: 'Working…',
    actions: 'Actions',
    yes: 'yes',
    no: 'no',
    mustBeWhole: 'Must be a whole number.',
    testPayment: '**Test payment.** The test bank takes no money, also where this order is called paid.',
  },
  countTexts: {
    events: counted('event', 'events'),
    newEvents: counted('new event', 'new events'),
    streams: counted('stream', 'streams'),
    rows: counted('row', 'rows'),
    processes: counted('process', 'processes'),
    ranges: counted('range', 'ranges'),
    deadLetters: counted('dead letter', 'dead letters'),
    projections: counted('projection', 'projections'),
    pieces: counted('piece', 'pieces'),
    movements: counted('movement', 'movements'),
    products: counted('product', 'products'),
    orders: counted('order', 'orders'),
    baskets: counted('basket', 'baskets'),
    columns: counted('column', 'columns'),
    letters: counted('letter', 'letters'),
    readModels: counted('read model', 'read models'),
  },
  sessionTexts: {
    signIn: 'Sign in',
    enterCode: 'Enter the code',
    setUp: 'Set up your authenticator',
    email: 'E-mail',
    password: 'Password',
    scan: 'Scan this with an authenticator app, or type the key into it. Then enter the code that it shows.',
    key: 'Key',
    qr: 'QR code for the authenticator',
    openHere: 'Open the authenticator on this device',
    openYours: 'Open your authenticator, or use one of your recovery codes if the phone is lost.',
    codeOrRecovery: 'Code or recovery code',
    sixDigits: 'Code of six digits',
    checking: 'Checking…',
    goOn: 'Continue',
    enter: 'Sign in',
    other: 'Another account',
    saveCodes: 'Save your recovery codes',
    saveCodesWhy:
      'Each lets you in once without the authenticator, when the phone is lost. They are shown only now: keep them where you keep passwords.',
    recoveryCodes: 'Recovery codes',
    copyAll: 'Copy all',
    saved: 'I have saved them',
    choose: 'Choose a password',
    newPassword: 'New password',
    atLeast: (least) => `At least ${least} characters.`,
    atLeastHint: (least) => `At least ${least} characters. A few words are good.`,
    again: 'The same again',
    differ: 'The two differ.',
    set: 'Set the password',
    setting: 'Setting…',
    incomplete: 'The link is incomplete',
    incompleteWhy:
      'Open the whole link that you were given, up to its last character, or ask an admin for another.',
    toSignIn: 'To the sign-in',
    isSet: 'The password is set',
    isSetWhy: 'Sign in with it now. At the first time you also set up an authenticator.',
  },
};

/** The staff app in English. */
export const english: Catalogue = {
  ...staffEnglish,
  ...officeEnglish,
  ...operationsEnglish,
  ...analyticsEnglish,
};
