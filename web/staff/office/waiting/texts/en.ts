import type { WaitingTexts } from '../../../texts/catalogue';

export const waitingEnglish: WaitingTexts = {
  waitingTexts: {
    title: 'Waiting lists',
    lead: 'What is sold out, and who asked to be told. The letters leave by themselves when stock is received.',
    what: 'waiting lists',
    none: 'Nobody waits for anything',
    noneWhy: 'Customers subscribe on the page of a product that is sold out.',
    product: 'Product',
    archived: 'archived',
    waiting: 'Waiting',
    since: 'Since',
    last: 'last',
    stock: 'In stock',
    stockOf: (all, held) => `${all} on the shelf, ${held} in orders`,
    actions: 'Actions',
    who: 'Who waits',
    whoFor: (product) => `Who waits: ${product}`,
    nobody: 'Nobody any more',
    name: 'Name',
    contact: 'Contact',
    erased: 'erased',
  },
};
