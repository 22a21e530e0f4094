import type { PaletteTexts } from '../../../texts/catalogue';

export const paletteKazakh: PaletteTexts = {
  paletteTexts: {
    title: 'Жылдам өту',
    query: 'Экран, әрекет, тапсырыс нөмірі, тауар немесе сатып алушы',
    none: 'Ештеңе табылмады',
    found: (n) => `Табылды: ${n}`,
    screen: 'экран',
    action: 'әрекет',
    order: 'тапсырыс',
    product: 'тауар',
    customer: 'сатып алушы',
    orderNumber: (number) => `Тапсырыс ${number}`,
    add: 'Жаңа тауар',
    count: 'Қойманы санау',
    receive: 'Тауарды қоймаға қабылдау',
    byPhone: 'Телефон арқылы тапсырыс',
    import: 'Каталог файлын жүктеу',
    promocode: 'Промокод шығару',
    post: 'Блогқа мақала жазу',
    invite: 'Қызметкер шақыру',
    reconcile: 'Төлемдерді салыстыру',
    compare: 'Екі сәтті салыстыру',
    speak: (language) => `Беттердің тілі: ${language}`,
  },
};
