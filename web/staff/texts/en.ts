import { orderListEnglish } from '../analytics/orders/texts/en';
import { analyticsEnglish } from '../analytics/texts/en';
import { changesEnglish } from '../office/changes/texts/en';
import { contentEnglish } from '../office/content/texts/en';
import { customersEnglish } from '../office/customers/texts/en';
import { groupsEnglish } from '../office/groups/texts/en';
import { importsEnglish } from '../office/imports/texts/en';
import { deadMailEnglish } from '../office/letters/texts/en';
import { noticesEnglish } from '../office/notices/texts/en';
import { editEnglish } from '../office/orders/edit/texts/en';
import { paletteEnglish } from '../office/palette/texts/en';
import { parcelEnglish } from '../office/parcels/texts/en';
import { paymentsEnglish } from '../office/payments/texts/en';
import { phoneEnglish } from '../office/phone/texts/en';
import { productsEnglish } from '../office/products/texts/en';
import { promocodeEnglish } from '../office/promocodes/texts/en';
import { reviewsEnglish } from '../office/reviews/texts/en';
import { settingsEnglish } from '../office/settings/texts/en';
import { teamEnglish } from '../office/staff/texts/en';
import { stockEnglish } from '../office/stock/texts/en';
import { officeEnglish } from '../office/texts/en';
import { waitingEnglish } from '../office/waiting/texts/en';
import { wordingEnglish } from '../office/wording/texts/en';
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
    menu: 'Menu',
    language: 'Language',
    offline: 'This device is offline. What was loaded still shows and may be old.',
    roles: {
      admin: 'Admin',
      manager: 'Manager',
      catalog: 'Catalog',
      warehouse: 'Warehouse',
      courier: 'Courier',
      support: 'Support',
      content: 'Content',
      analyst: 'Analyst',
      operator: 'Operator',
    },
    account: 'My account',
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
    stepUpNote: 'Personal data are hidden until you show your second factor. It counts for 12 hours.',
    stepUpShow: 'Show the data',
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
  ownTexts: {
    title: 'My account',
    lead: 'How you sign in, and where you are signed in.',
    email: 'E-mail',
    role: 'Role',
    needed: 'Fill in this field.',
    sessions: 'Where you are signed in',
    here: 'this device',
    unknown: 'Unknown device',
    seen: 'Last used',
    network: (network) => `network ${network}`,
    end: 'End',
    endOf: (device) => `End the session: ${device}`,
    endOthers: 'End all other sessions',
    password: 'Password',
    passwordWhy:
      'A new password ends all other sessions of this account, and passkeys have to be added again.',
    currentPassword: 'Current password',
    change: 'Change the password',
    codesWhy: 'New codes replace the former ones. Each lets you in once without the authenticator.',
    renew: 'Get new recovery codes',
    authenticator: 'Authenticator',
    authenticatorWhy:
      'To set up another app or phone, enter your password and a code. The present authenticator works until the new one is confirmed.',
    replace: 'Set up another authenticator',
    confirmNew: 'Confirm the new authenticator',
    replaced: 'The authenticator was replaced.',
    passkeySignIn: 'Sign in with a passkey',
    passkeyConfirm: 'Confirm with a passkey',
    passkeyLeft: 'No passkey was used. Try again.',
    passkeys: 'Passkeys',
    passkeysWhy:
      'A passkey lets you in by fingerprint, face or the code of the device, without the password and the authenticator.',
    passkeysNotHere: 'This browser has no passkeys for this address.',
    passkeyName: 'Name of the passkey',
    passkeyNameHint: 'Such as “Work laptop”.',
    addPasskey: 'Add a passkey',
    added: 'Added',
    used: 'used',
    remove: 'Remove',
    removeOf: (name) => `Remove the passkey: ${name}`,
    confirm: 'Confirm that it is you',
    confirmWhy: 'This needs a code that was entered within the last five minutes.',
    goOn: 'Continue',
    leave: 'Leave it',
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
    guessable: 'This password is a common one, or made of your e-mail or the shop’s name. Choose another.',
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
  ...editEnglish,
  ...reviewsEnglish,
  ...productsEnglish,
  ...settingsEnglish,
  ...wordingEnglish,
  ...groupsEnglish,
  ...importsEnglish,
  ...contentEnglish,
  ...paletteEnglish,
  ...stockEnglish,
  ...changesEnglish,
  ...waitingEnglish,
  ...promocodeEnglish,
  ...deadMailEnglish,
  ...customersEnglish,
  ...parcelEnglish,
  ...paymentsEnglish,
  ...noticesEnglish,
  ...phoneEnglish,
  ...teamEnglish,
  ...operationsEnglish,
  ...analyticsEnglish,
  ...orderListEnglish,
};
