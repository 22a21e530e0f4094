import { signIn } from '../../e2e/steps.mjs';

const named = (at) => (name, options) => at.getByRole('button', { name, ...options });

/** The first page: menu and search, and a row of products. */
async function home(measured) {
  const { page } = measured;
  const button = named(page);
  const dialog = page.locator('dialog[open]');

  await measured.open('/');
  for (const time of [', first', '']) {
    await measured.tap(`menu: open${time}`, button('Открыть меню'));
    await measured.tap(`menu: close${time}`, button('Закрыть меню'));
  }
  await measured.tap('search: open, first', button('Поиск', { exact: true }));
  await dialog.getByRole('searchbox').waitFor();
  await measured.press('search: close with Escape', 'Escape');
  await measured.tap('search: open', button('Поиск', { exact: true }));
  await measured.type('search: type', dialog.getByRole('searchbox'), 'krem');
  await measured.press('search: ask', 'Enter');
  const results = dialog.getByRole('list', { name: 'Результаты поиска' });
  await measured.tap('search: add', results.getByRole('button', { name: /^Добавить в корзину/ }));
  await measured.tap('search: close', button('Закрыть поиск'));

  const popular = page.getByRole('region', { name: 'Популярное' });
  const forward = popular.getByRole('button', { name: /^Вперёд/ });
  await measured.tap('home: add', popular.getByRole('button', { name: /^В корзину/ }));
  await measured.tap('home: one more', popular.getByRole('button', { name: 'Добавить одну штуку' }));
  await measured.tap('home: one less', popular.getByRole('button', { name: 'Убрать одну штуку' }));
  await measured.tap('home: turn a row, first', forward);
  await measured.tap('home: turn a row', forward);
  await measured.tap('home: stop a row', popular.getByRole('button', { name: /^Остановить/ }));
}

/** A list of products. */
async function list(measured) {
  const { page } = measured;
  const main = page.getByRole('main');
  const button = named(main);

  await measured.open('/category/kremy-dlya-litsa');
  await measured.tap('list: add', button(/^В корзину/));
  await measured.tap('list: brands', main.locator('summary'));
  await measured.tap('list: choose a brand', main.locator('details input'));
  await measured.settle();
  await measured.tap('list: close the brands', page.getByRole('heading', { level: 1 }));
  await measured.tap('list: reset', button('Сбросить фильтр'));
  await measured.settle();
  await measured.tap('list: to a product', main.getByRole('article').getByRole('link'));
}

const product = '/product/ostara-niacinamide-serum';

/** A product and what buyers say of it. */
async function chosen(measured) {
  const { page } = measured;
  const main = page.getByRole('main');
  const button = named(main);

  await measured.open(product);
  await measured.tap('product: picture', button(/^Фото 2/));
  await measured.tap('product: mark', page.locator('button[popovertarget]'));
  await measured.tap('product: close the mark', page.locator('h1'));
  await measured.tap('product: section', main.locator('summary').nth(1));
  await measured.tap('product: add', button('Добавить в корзину'));
  await measured.tap('product: one more', button('Добавить одну штуку'));
  await measured.tap('reviews: with photo', button('С фото'));
  await measured.tap('reviews: new', button('Новые'));
}

/** A review that is not sent. */
async function review(measured) {
  const { page } = measured;
  const dialog = page.locator('dialog[open]');
  const write = named(page)('Оставить отзыв');
  await measured.open(product);
  await measured.tap('review: open, first', write);
  await dialog.waitFor();
  await measured.press('review: close with Escape', 'Escape');
  await measured.tap('review: open', write);
  await measured.tap('review: send empty', named(dialog)('Отправить отзыв'));
  await measured.tap('review: stars', dialog.locator('label:has(input[type=radio])').nth(3));
  await measured.type('review: type', dialog.getByLabel('Отзыв', { exact: true }), 'Very good');
  await measured.type('review: phone', dialog.getByLabel('Телефон'), '8701');
  await measured.press('review: close', 'Escape');
}

/** Opens a product, puts one piece of it into the basket, and goes there. */
async function buy(measured) {
  const { page } = measured;
  const main = page.getByRole('main');
  await measured.open(product);
  await named(main)('Добавить в корзину').tap();
  await named(main)('Добавить одну штуку').first().waitFor();
}

async function basket(measured) {
  const { page } = measured;
  const main = page.getByRole('main');
  const button = named(main);

  await buy(measured);
  await measured.tap(
    'header: to the basket',
    page.getByRole('banner').getByRole('link', { name: /^Корзина/ }),
  );
  await measured.settle();
  await measured.tap('basket: one more', button('Добавить одну штуку'));
  await measured.tap('basket: one less', button('Убрать одну штуку'));
  await measured.tap('basket: explain the price', main.getByText('Почему столько?'));
  await measured.tap('basket: clear', button('Очистить корзину'));
  await measured.tap('basket: no', button('Нет'));
  await measured.tap('basket: to the checkout', main.getByRole('link', { name: 'Оформить заказ' }));
  await measured.settle();
  await page.goBack();
  await measured.settle();
  await measured.tap('basket: remove', button(/^Удалить:/));
}

/** An order that is paid in cash. */
async function checkout(measured) {
  const { page } = measured;
  const main = page.getByRole('main');
  const button = named(main);
  const field = (label, exact = true) => main.getByLabel(label, { exact });
  const city = main.getByRole('combobox');
  const now = Date.now(); // a customer may use a promo code once

  await buy(measured);
  await measured.open('/checkout');
  await measured.tap('checkout: send empty', button('Оплатить'));
  await measured.tap('checkout: city, open', city);
  await measured.type('checkout: city, type', city, 'a');
  await city.fill('алм');
  await measured.tap('checkout: city, choose', main.getByRole('option', { name: /^Алматы/ }));
  for (const [what, label, text] of [
    ['street', 'Улица', 'Abay avenue'],
    ['house', 'Дом', '10'],
    ['flat', 'Квартира', '7'],
    ['first name', 'Имя', 'Aigerim'],
    ['last name', 'Фамилия', 'Seitova'],
    ['e-mail', 'E-mail', `inp-${now}@dala.example`],
    ['phone', 'Телефон', `8701${String(now).slice(-7)}`],
  ])
    await measured.type(`checkout: ${what}`, field(label, what !== 'flat'), text);
  await measured.tap('checkout: pick up', field(/^Самовывоз/));
  await measured.tap('checkout: courier', field('Курьером'));
  await measured.tap('checkout: box', field(/^Упаковать/));
  await measured.type('checkout: promo code', field(/^Промокод/), 'WELCOME10');
  await main.getByText('Промокод принят').waitFor();
  await measured.tap('checkout: one more', button('Добавить одну штуку'));
  await measured.tap('checkout: cash', field('Наличными при получении'));
  // Long enough for the frame that says that the order is being sent.
  await page.route('**/api/orders/', async (route) => {
    await new Promise((passed) => setTimeout(passed, 1500));
    await route.continue();
  });
  await measured.tap('checkout: send', button('Далее'));
  await page.waitForURL('**/#success_popup');
  await measured.settle();
  await measured.tap('ordered: close', page.locator('dialog[open]').getByRole('button'));
}

/** Fails to sign in and to register. */
async function entry(measured) {
  const { page } = measured;
  const main = page.getByRole('main');
  const button = named(main);

  await measured.open('/login');
  await measured.tap('sign-in: send empty', button('Войти', { exact: true }));
  await measured.type('sign-in: e-mail', main.getByLabel('E-mail'), 'inp@dala.example');
  await measured.type('sign-in: password', main.getByLabel('Пароль', { exact: true }), 'a long walk');
  await measured.tap('sign-in: show the password', button(/^Показать/));
  await measured.tap('sign-in: to the registration', main.getByRole('link', { name: 'Зарегистрироваться' }));
  await measured.settle();
  await measured.tap('registration: send empty', button('Создать аккаунт'));
  await measured.type('registration: name', main.getByLabel('Имя'), 'Aigerim');
  await measured.type('registration: phone', main.getByLabel('Телефон'), '8701123');
  await measured.tap('registration: consent', main.getByRole('checkbox'));
}

/** The pages of an account. */
async function account(measured) {
  const { page } = measured;
  const main = page.getByRole('main');
  const button = named(main);

  await signIn(page, `inp-${Date.now()}@dala.example`);
  await measured.open('/account/info');
  await measured.tap('account: save empty', button('Сохранить'));
  await measured.type('account: type', main.getByLabel('Улица'), 'Abay');
  await measured.tap('account: to the orders', main.getByRole('link', { name: 'Мои заказы' }));
  await measured.settle();
  await measured.tap('account: active orders', button('Активные заказы'));
  await measured.tap('account: to the bonuses', main.getByRole('link', { name: 'Бонусная система' }));
  await measured.tap('account: to the security', main.getByRole('link', { name: 'Безопасность' }));
  await measured.settle();
  await measured.tap('account: change the password, empty', button('Сменить пароль'));
  await measured.tap('account: sign out', button('Выйти'));
}

/** What shoppers do, in the order of a purchase; each begins in a browser that was never here. */
export const journeys = { home, list, product: chosen, review, basket, checkout, entry, account };
