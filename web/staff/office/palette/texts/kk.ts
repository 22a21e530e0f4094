import type { PaletteTexts } from '../../../texts/catalogue';

export const paletteKazakh: PaletteTexts = {
  paletteTexts: {
    title: 'Жылдам өту',
    query: 'Экран, тапсырыс нөмірі, тауар немесе сатып алушы',
    none: 'Ештеңе табылмады',
    found: (n) => `Табылды: ${n}`,
    screen: 'экран',
    order: 'тапсырыс',
    product: 'тауар',
    customer: 'сатып алушы',
    orderNumber: (number) => `Тапсырыс ${number}`,
    add: 'Жаңа тауар',
    count: 'Қойманы санау',
  },
};
