import type { PaletteTexts } from '../../../texts/catalogue';

export const paletteEnglish: PaletteTexts = {
  paletteTexts: {
    title: 'Go to',
    query: 'Screen, order number, product or customer',
    none: 'Nothing found',
    found: (n) => `Found: ${n}`,
    screen: 'screen',
    order: 'order',
    product: 'product',
    customer: 'customer',
    orderNumber: (number) => `Order ${number}`,
    add: 'New product',
    count: 'Count the stock',
  },
};
