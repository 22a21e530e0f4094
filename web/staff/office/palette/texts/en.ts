import type { PaletteTexts } from '../../../texts/catalogue';

export const paletteEnglish: PaletteTexts = {
  paletteTexts: {
    title: 'Go to',
    query: 'Screen, action, number of an order, product or customer',
    none: 'Nothing found',
    found: (n) => `Found: ${n}`,
    screen: 'screen',
    action: 'action',
    order: 'order',
    product: 'product',
    customer: 'customer',
    orderNumber: (number) => `Order ${number}`,
    add: 'New product',
    count: 'Count the stock',
    receive: 'Receive goods',
    byPhone: 'Take an order by phone',
    import: 'Upload a catalog file',
    promocode: 'Issue a promo code',
    post: 'Write a post',
    invite: 'Invite a member of staff',
    reconcile: 'Reconcile payments',
    compare: 'Compare two moments',
    speak: (language) => `Language of the pages: ${language}`,
  },
};
