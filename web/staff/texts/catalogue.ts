/** What the parts that every section shares say. A key without words in another language is an error of types. */
export type StaffTexts = typeof import('../../kit/texts/field') &
  typeof import('./units') &
  typeof import('./ru');

export type ParcelTexts = typeof import('../office/parcels/texts/ru');
export type EditTexts = typeof import('../office/orders/edit/texts/ru');
export type OfficeTexts = typeof import('../office/texts/ru');
export type PhoneTexts = typeof import('../office/phone/texts/ru');
export type PaymentsTexts = typeof import('../office/payments/texts/ru');
export type NoticesTexts = typeof import('../office/notices/texts/ru');
export type TeamTexts = typeof import('../office/staff/texts/ru');
export type CustomersTexts = typeof import('../office/customers/texts/ru');
export type DeadMailTexts = typeof import('../office/letters/texts/ru');
export type PromocodeTexts = typeof import('../office/promocodes/texts/ru');
export type WaitingTexts = typeof import('../office/waiting/texts/ru');
export type ChangesTexts = typeof import('../office/changes/texts/ru') &
  typeof import('../office/changes/texts/names-ru');
export type ProductsTexts = typeof import('../office/products/texts/ru');
export type WordingTexts = typeof import('../office/wording/texts/ru');
export type SettingsTexts = typeof import('../office/settings/texts/ru');
export type ContentTexts = typeof import('../office/content/texts/ru');
export type ImportsTexts = typeof import('../office/imports/texts/ru');
export type StockTexts = typeof import('../office/stock/texts/ru');
export type GroupsTexts = typeof import('../office/groups/texts/ru');
export type PaletteTexts = typeof import('../office/palette/texts/ru');
export type OperationsTexts = typeof import('../operations/texts/ru') & {
  securityTexts: typeof import('../operations/security/texts/ru').securityTexts;
};
export type ReviewsTexts = typeof import('../office/reviews/texts/ru');
export type OrderListWords = typeof import('../analytics/orders/texts/ru');
export type AnalyticsTexts = typeof import('../analytics/texts/ru') & {
  reportWords: typeof import('../analytics/texts/reports-ru').reportWords;
  dataWords: typeof import('../analytics/texts/data-ru').dataWords;
};

/** All that a language of the staff app says. */
export type Catalogue = StaffTexts &
  OfficeTexts &
  EditTexts &
  PhoneTexts &
  ParcelTexts &
  PaymentsTexts &
  TeamTexts &
  OperationsTexts &
  AnalyticsTexts &
  OrderListWords &
  NoticesTexts &
  CustomersTexts &
  WaitingTexts &
  PromocodeTexts &
  DeadMailTexts &
  ProductsTexts &
  SettingsTexts &
  WordingTexts &
  StockTexts &
  ImportsTexts &
  ContentTexts &
  GroupsTexts &
  PaletteTexts &
  ChangesTexts &
  ReviewsTexts;
