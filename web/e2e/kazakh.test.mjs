// A shopper who reads Kazakh: finds, buys and pays, opens an account and reads the order, on a phone and on a computer.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { assertAccessible, assertNoSidewaysScroll, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { rendered, until } from './steps.mjs';

const file = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const words = (text) => text.toLowerCase().match(/\p{Script=Cyrillic}+/gu) ?? [];
const kazakhLetters = /[әғқңөұүһі]/;

/**
 * Words that the shop's Russian texts use and its Kazakh ones do not: of the storefront, of refusals and of the goods. A page that
 * says one of them outside of what is marked as Russian has a text that nobody translated.
 */
const russianWords = (() => {
  const texts = readdirSync(new URL('../shop/texts/', import.meta.url)).filter(
    (name) => !name.includes('test'),
  );
  const inTexts = (names) => names.map((name) => file(`web/shop/texts/${name}`)).join('\n');
  const refusals = file('readapi/sentences/kazakh.txt')
    .split('\n')
    .map((line) => line.split('|'));
  const pages = readdirSync(new URL('../../readapi/pages/', import.meta.url));
  const inPages = (names) => names.map((name) => file(`readapi/pages/${name}`)).join('\n');
  const inKazakh = (name) => name.endsWith('-kk.html');
  const goods = file('cmd/shop/demo/catalog.xml').split('\n');
  const kazakh = [
    inTexts(['kk.ts']),
    inPages(pages.filter(inKazakh)),
    refusals.map(([, kk]) => kk).join('\n'),
    goods.filter((line) => line.includes('на казахском')).join('\n'),
    ...['categories', 'marks'].flatMap((of) =>
      file(`cmd/shop/demo/${of}.json`).match(/"kazakh": \{[^}]*\}/g),
    ),
    file('cmd/shop/testdata/kazakh-words.txt'),
  ];
  const russian = [
    inTexts(texts.filter((name) => name !== 'kk.ts')),
    inPages(pages.filter((name) => !inKazakh(name))),
    refusals.map(([ru]) => ru).join('\n'),
    goods.filter((line) => !line.includes('на казахском')).join('\n'),
  ];
  const known = new Set(words(kazakh.join('\n')));
  return new Set(words(russian.join('\n')).filter((word) => !known.has(word) && !kazakhLetters.test(word)));
})();

/** What a page says in Kazakh: its texts and labels outside of what is marked as another language. */
const spoken = (page) =>
  page.evaluate(() => {
    const said = [];
    for (const element of document.querySelectorAll('body, body *')) {
      if (element.closest('[lang]').lang !== 'kk' || element.closest('script, style, noscript')) continue;
      for (const name of ['aria-label', 'aria-valuetext', 'alt', 'title', 'placeholder']) {
        said.push(element.getAttribute(name) ?? '');
      }
      for (const node of element.childNodes) if (node.nodeType === 3) said.push(node.textContent);
    }
    return said;
  });

/** The names of the shopper, of streets and of brands, which no language has. */
const names = ['жусан', 'айгерим', 'сейтова', 'абая', 'проспект', 'алматы', 'пр', 'достык'];

/** Nothing Russian is left, nothing is wider than the screen, and axe finds nothing. */
async function inKazakh(page, name) {
  await page.waitForLoadState('networkidle');
  assert.equal(await page.locator('html').getAttribute('lang'), 'kk');
  const left = (await spoken(page)).filter((text) =>
    words(text).some((word) => russianWords.has(word) && !names.includes(word)),
  );
  assert.deepEqual(left, [], `Russian on ${page.url()}`);
  await assertNoSidewaysScroll(page);
  await assertAccessible(page);
  await picture(page, `kazakh ${name}`);
}

/** Fills in the checkout's form, in Kazakh. */
async function fillIn(page, email) {
  const city = page.getByRole('combobox', { name: /Қала/ });
  await until('the city is chosen', async () => {
    await city.fill('алма');
    await page
      .getByRole('option', { name: /^Алматы/ })
      .first()
      .click();
    return (await city.inputValue()) === 'Алматы';
  });
  await page.getByLabel('Көше').fill('проспект Абая');
  await page.getByLabel('Үй', { exact: true }).fill('10');
  await page.getByRole('textbox', { name: /^Аты/ }).fill('Айгерим');
  await page.getByRole('textbox', { name: /^Тегі/ }).fill('Сейтова');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Телефон').pressSequentially('87011234567');
}

for (const width of [390, 1280]) {
  test.describe(() => {
    test.use({ width });
    test(`a shopper buys in Kazakh at ${width} px`, async ({ page, context, shop }) => {
      const email = `kazakh-${width}@example.com`;
      await context.addCookies([{ name: 'lang', value: 'kk', url: shop.origin }]);
      const soap = await shop.product('DL-10089', 40);
      const name = 'Қолдан қайнатылған лаванда қатты сабыны';

      // Found by its Kazakh name.
      await rendered(page, '/');
      await page.goto('/');
      await page.getByRole('heading', { level: 1, name: 'Дауыстап оқуға болатын құрам' }).waitFor();
      await inKazakh(page, 'home');
      await page.getByRole('button', { name: 'Іздеу' }).click();
      await page.getByRole('searchbox', { name: 'Дүкен ішінен іздеу' }).fill('лаванда сабыны');
      await page.getByRole('searchbox').press('Enter');
      const results = page.getByRole('list', { name: 'Іздеу нәтижелері' });
      await results.getByRole('link', { name }).waitFor();
      await inKazakh(page, 'search');
      await results.getByRole('link', { name }).click();
      await page.waitForURL(`**/product/${soap.link}`);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await results.waitFor({ state: 'hidden' }); // it fades, and has no contrast meanwhile
      await inKazakh(page, 'product');
      await page.getByRole('button', { name: 'Себетке салу' }).first().click();
      await page
        .getByRole('group', { name: `Саны: ${name}` })
        .first()
        .waitFor();

      // The basket is too small for an order, then not.
      await page.goto('/basket');
      await page.getByText('Тапсырыстың ең төменгі сомасы').waitFor();
      await inKazakh(page, 'basket');
      for (let pieces = 1; pieces * soap.discounted_price < 7000; pieces++) {
        const plus = page.getByRole('button', { name: 'Бір дана қосу' });
        await plus.click();
        await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
      }
      await page.getByRole('link', { name: 'Тапсырыс беру' }).click();
      await page.getByRole('heading', { level: 1, name: 'Тапсырысты рәсімдеу' }).waitFor();
      await page.getByRole('button', { name: 'Төлеу' }).click();
      await page.getByText('Қатесі бар өрістерді тексеріңіз: 7').waitFor();
      await inKazakh(page, 'checkout');

      // Paid by card at the test bank.
      await fillIn(page, email);
      await page.getByRole('radio', { name: 'Алған кезде қолма-қол' }).waitFor();
      await page.getByRole('button', { name: 'Төлеу' }).click();
      await page.waitForURL('**/pay/sandbox/**');
      await page.getByRole('button', { name: /төлеу$/ }).click();
      await page.getByRole('dialog', { name: 'Бәрі сәтті өтті.' }).waitFor();
      await inKazakh(page, 'paid');

      // The letter is in Kazakh, and leads to the order.
      const [link, id] = await shop.letter(email, /\/order\/([0-9a-f-]{36})#[\w-]+/);
      await page.goto(link);
      await page.getByRole('heading', { level: 1, name: /^№ \d+ тапсырыс$/ }).waitFor();
      await page.getByText('Төленген', { exact: true }).waitFor();
      await inKazakh(page, 'order of a guest');

      // An account, and the order in it.
      await page.goto('/registration');
      await page.getByRole('heading', { level: 1, name: 'Тіркелу' }).waitFor();
      await inKazakh(page, 'registration');
      await page.getByRole('textbox', { name: /^Аты/ }).fill('Айгерим');
      await page.getByRole('textbox', { name: /^Тегі/ }).fill('Сейтова');
      await page.getByLabel('Телефон').pressSequentially('87011234567');
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Құпиясөз', { exact: true }).fill('алғашқы құпиясөз');
      await page.getByLabel('Құпиясөзді қайталаңыз', { exact: true }).fill('алғашқы құпиясөз');
      await page.getByRole('checkbox', { name: /келісемін/ }).check();
      await page.getByRole('button', { name: 'Аккаунт ашу' }).click();
      await page.waitForURL('**/account/info');
      await inKazakh(page, 'account');
      const [proof] = await shop.letter(email, /\/verify-email#[\w-]+/);
      await page.goto(proof);
      await page.getByRole('heading', { level: 1, name: 'E-mail расталды' }).waitFor();
      await inKazakh(page, 'e-mail proved');
      await page.goto('/account/orders');
      await until('the order is in the account', async () => {
        await page.reload();
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        return (await page.getByRole('link', { name: /^Толығырақ қарау/ }).count()) > 0;
      });
      await inKazakh(page, 'orders');
      await page.getByRole('link', { name: /^Толығырақ қарау/ }).click();
      await page.waitForURL(`**/account/order/${id}`);
      await page.getByText('Неге мұнша?').click();
      await inKazakh(page, 'order of a customer');
      for (const [path, title] of [
        ['/account/bonuses', 'Бонус жүйесі'],
        ['/account/waiting', 'Келуін күтемін'],
        ['/account/security', 'Қауіпсіздік'],
      ]) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        await inKazakh(page, path.split('/').at(-1));
      }
    });
  });
}
