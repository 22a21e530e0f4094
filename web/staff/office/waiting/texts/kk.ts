import type { WaitingTexts } from '../../../texts/catalogue';

export const waitingKazakh: WaitingTexts = {
  waitingTexts: {
    title: 'Тауар күтушілер',
    lead: 'Не таусылды және кім хабарлауды сұрады. Тауар қоймаға түскенде хаттар өздігінен кетеді.',
    what: 'күту тізімдері',
    none: 'Ешкім ештеңе күтпейді',
    noneWhy: 'Сатып алушылар жоқ тауардың бетінде жазылады.',
    product: 'Тауар',
    archived: 'мұрағатта',
    waiting: 'Күтеді',
    since: 'Қашаннан',
    last: 'соңғысы',
    stock: 'Қолда бар',
    stockOf: (all, held) => `қоймада ${all}, тапсырыстарда ${held}`,
    actions: 'Әрекеттер',
    who: 'Кім күтеді',
    whoFor: (product) => `Кім күтеді: ${product}`,
    nobody: 'Енді ешкім',
    name: 'Аты',
    contact: 'Байланыс',
    erased: 'деректері жойылған',
  },
};
