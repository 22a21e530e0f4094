import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import '../../testing/open';
import { changeNamesEnglish } from './texts/names-en';
import { changeNamesKazakh } from './texts/names-kk';
import { nameTexts } from './texts/names-ru';
import { apart, fieldName, refusal, said } from './value';

/** What changes can set, as the server knows it: each name with "number" where it is one. */
const names: Record<string, string> = JSON.parse(
  readFileSync('../commands/changes/testdata/names.json', 'utf8'),
);
const reasons: string[] = JSON.parse(readFileSync('../commands/changes/testdata/reasons.json', 'utf8'));
const languages = { ru: nameTexts, kk: changeNamesKazakh, en: changeNamesEnglish };

test.each(Object.entries(languages))('everything that a change can set has a name: %s', (_, texts) => {
  expect(Object.keys(names).length).toBeGreaterThan(100);
  const unnamed = Object.keys(names).filter((name) => {
    const [thing = '', field = ''] = name.split('.');
    return !texts.fields[name] && !texts.fields[field || thing];
  });
  expect(unnamed).toEqual([]);
  expect(Object.keys(texts.fields).sort()).toEqual(Object.keys(nameTexts.fields).sort());
  expect(Object.keys(texts.refusals).sort()).toEqual(Object.keys(nameTexts.refusals).sort());
  expect(Object.keys(texts.stays).sort()).toEqual([...reasons].sort());
});

test('every number has its unit, or is counted', () => {
  const plain = Object.keys(names)
    .filter((name) => names[name] === 'number')
    .map((name) => name.split('.').at(-1) ?? '')
    .filter((field) => field !== 'no_delivery' && said(1_000, field) === '1,000');
  expect([...new Set(plain)].sort()).toEqual([
    'approval_products',
    'customer_open_orders',
    'guest_open_orders',
    'network_open_orders',
    'order',
    'received',
    'uses',
    'uses_per_user',
    'value', // its kind says whether it is a percent
  ]);
  for (const field of ['price', 'cost', 'minimum_sum', 'hand_confirm_above', 'from', 'free_from', 'min_sum'])
    expect(`${field} ${said(1_000, field)}`).toBe(`${field} 1,000\u00a0₸`);
});

test('values are read as people say them', () => {
  expect(said(35, 'approval_price_cut')).toBe('35\u00a0%');
  expect(said(30, 'card_minutes')).toBe('30 min');
  expect(said([{ from: 30_000, percent: 5 }], 'tiers')).toBe('from 30,000\u00a0₸ 5\u00a0%');
  expect(said([{ city: 'Алматы', aliases: ['Almaty'], price: 1_900, free_from: 15_000 }], 'delivery')).toBe(
    'Алматы (Almaty): 1,900\u00a0₸, free from 15,000\u00a0₸',
  );
  expect(said([7, 1], 'no_delivery')).toBe('Sun; Mon');
  expect(said([{ date: '2026-05-01', name: { ru: 'Праздник', kk: '' } }], 'holidays')).toBe(
    'day: 1 May 2026, name: in Russian: Праздник',
  );
  expect(said({ kind: 'percent', value: 10, min_sum: 5_000 }, 'terms')).toBe(
    'kind of discount: percent, discount: 10\u00a0%, from a sum of: 5,000\u00a0₸',
  );
  expect(said('2026-11-20T19:30:00Z', 'valid_until')).toMatch(/^21 Nov 2026, 00:30$/);
  expect(said('c1', 'category_id', () => 'Уход')).toBe('Уход');
  const [was, now] = apart({ kind: 'fixed', value: 100, uses: 0 }, { kind: 'fixed', value: 200, uses: 0 });
  expect([said(was), said(now)]).toEqual([
    'kind of discount: sum, discount: 100\u00a0₸',
    'kind of discount: sum, discount: 200\u00a0₸',
  ]);
  expect(fieldName('article', 'post')).toBe('post');
  expect(fieldName('article', 'product')).toBe('article');
});

test('what is in the way is told in the language of the page, with the other change and its time', () => {
  expect(refusal({ code: 'catalog/bad-price', detail: 'A price …' })).toBe('a price is 1 to 1,000,000,000 ₸');
  expect(refusal({ code: 'rules/tiers', detail: 'Tiers must ascend.' })).toBe('Tiers must ascend.');
  const detail =
    'The change «Spring» (0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f61) holds this until 2026-11-24 03:00 UTC.';
  const id = '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f61';
  const russian = `Это держит изменение «Spring» (${id}) до 2026-11-24 03:00 UTC.`;
  const kazakh = `Мұны «Spring» (${id}) өзгерісі ұстап тұр, мерзімі: 2026-11-24 03:00 UTC.`;
  for (const told of [detail, russian, kazakh])
    expect(refusal({ code: 'change/held', detail: told })).toMatch(/: “Spring”, 24 Nov 2026, 08:00$/);
});
