// Shoppers buy, in Chromium, from the built program with its real database.
import assert from 'node:assert/strict';
import sharp from 'sharp';
import { assertAccessible, picture, tabTo } from './checks.mjs';
import { test } from './fixtures.mjs';
import { basketIcon, buy, cash, chooseCity, fillCheckout, send, signIn } from './steps.mjs';

/** What a text says in tenge, whatever its spaces are. */
const money = async (locator) =>
  Number((await locator.textContent()).replace(/[^\d−]/g, '').replace('−', '-'));
const total = (page) => page.locator('dt:text-is("Итого") + dd');

test('from the home page to an order in cash', async ({ page, shop }) => {
  const serum = await shop.product('DL-10016', 48);
  const cream = await shop.product('DL-10018', 3);

  await page.goto('/');
  await page.getByRole('main').getByRole('link', { name: /^Лицо/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Лицо' }).waitFor();
  await page.getByRole('link', { name: 'Смотреть товары: Сыворотки' }).click();
  await page.getByRole('heading', { level: 1, name: 'Сыворотки' }).waitFor();

  // Filters stand in the address.
  const prices = async () => {
    const sums = await page.locator('article').evaluateAll((cards) =>
      cards.map((card) => {
        const [now] = card.textContent.match(/\d[\d\u00a0]*(?=\u00a0тг)/);
        return Number(now.replaceAll('\u00a0', ''));
      }),
    );
    return sums;
  };
  await page.getByLabel('Порядок').selectOption({ label: 'Сначала дешевле' });
  await page.waitForURL(/ordering=price/);
  await page.waitForFunction(() => document.querySelector('article')?.textContent.includes('490'));
  const cheapFirst = await prices();
  assert.deepEqual(
    cheapFirst,
    cheapFirst.toSorted((a, b) => a - b),
  );
  await page.getByText('Бренд', { exact: true }).click();
  await page.getByRole('checkbox', { name: 'Ostara' }).click();
  await page.waitForURL(/brand=ostara/);
  await page.getByText('Показано 3 из 3').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Сбросить фильтр' }).click();
  await page.getByText('Показано 10 из 10').waitFor();

  await page.getByRole('link', { name: serum.name }).click();
  await page.waitForURL(`**/product/${serum.link}`);
  await page.getByRole('heading', { level: 1, name: serum.name }).waitFor();
  await page.getByText('Артикул DL-10016').waitFor();
  await page.getByRole('button', { name: 'Добавить в корзину' }).click();

  // Its picture flies to the basket: two seconds of way, one of fading.
  const flying = page.locator('body > [aria-hidden="true"]');
  assert.equal(await flying.evaluate((copy) => getComputedStyle(copy).position), 'fixed');
  const [move] = await flying.evaluate((copy) =>
    copy.getAnimations().map((one) => one.effect.getTiming().duration),
  );
  assert.equal(move, 2000);
  await flying.evaluate((copy) => {
    copy.getAnimations()[0].finish();
  });
  await flying.evaluate((copy) => {
    copy.getAnimations().at(-1).finish();
  });
  await flying.waitFor({ state: 'detached' });
  await basketIcon(page, 1).waitFor();

  await buy(page, cream);
  await basketIcon(page, 2).click();

  // The basket: more, as many as there are, fewer.
  await page.getByRole('heading', { level: 1, name: 'Корзина' }).waitFor();
  const counter = page.getByRole('group', { name: `Количество: ${cream.name}` });
  const plus = counter.getByRole('button', { name: 'Добавить одну штуку' });
  await plus.click();
  await plus.click();
  await basketIcon(page, 4).waitFor();
  await plus.click();
  await page.getByText('Товар заканчивается, Вы можете заказать не более 3 штук').waitFor();
  await basketIcon(page, 4).waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
  const goods = serum.discounted_price + 3 * cream.discounted_price;
  assert.ok(goods >= 30_000, 'the basket is worth a discount');
  const [, off] = [goods, Math.round(goods * 0.05)];
  assert.equal(await money(total(page)), goods - off);

  // Why so much: the steps add up to the total.
  await page.getByText('Почему столько?').click();
  const steps = await page.locator('details ol > li').evaluateAll((items) =>
    items.map((item) =>
      Number(
        item
          .querySelector('span + span')
          .textContent.replace('−', '-')
          .replace(/[^\d-]/g, ''),
      ),
    ),
  );
  const sum = steps.pop();
  assert.equal(sum, goods - off);
  assert.equal(
    steps.reduce((all, step) => all + step, 0),
    sum,
  );

  await page.getByRole('button', { name: `Удалить: ${cream.name}` }).click();
  await basketIcon(page, 1).waitFor();
  assert.equal(await counter.count(), 0);
  await page.getByRole('button', { name: 'Очистить корзину' }).click();
  const asking = page.getByRole('dialog', { name: 'Очистка корзины' });
  await assertAccessible(page);
  await asking.getByRole('button', { name: 'Нет' }).click();
  await basketIcon(page, 1).waitFor();
  await page.getByRole('button', { name: 'Очистить корзину' }).click();
  await asking.getByRole('button', { name: 'Да' }).click();
  await page.getByText('Товаров в корзине пока нет').waitFor();

  // Checkout: errors first, at their fields, the first of them in focus.
  await buy(page, serum);
  await basketIcon(page, 1).click();
  await page.getByRole('link', { name: 'Оформить заказ' }).click();
  await page.getByRole('button', { name: 'Оплатить' }).click();
  await page.getByText('Проверьте поля с ошибками: 7').waitFor();
  const city = page.getByRole('combobox', { name: /Город/ });
  assert.ok(
    await city.evaluate((input) => input === document.activeElement),
    'the first wrong field has the focus',
  );
  assert.equal(await page.locator('[aria-invalid="true"]').count(), 7);
  await page.getByLabel('E-mail').fill('nobody');
  await page.getByLabel('Телефон').fill('8701');
  await page.getByLabel('Фамилия').focus();
  await page.getByText('Email введен неверно').waitFor();
  await page.getByText('Введите номер полностью').waitFor();
  await assertAccessible(page);
  await page.getByLabel('E-mail').fill('');
  await page.getByLabel('Телефон').fill('');

  await fillCheckout(page, 'cash@example.com');
  assert.equal(await page.getByLabel('Телефон').inputValue(), '+7 (701) 123-45-67');
  await cash(page).check();
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
  const seen = await money(total(page));
  assert.equal(seen, serum.discounted_price + 1900);
  const order = await send(page);

  const popup = page.getByRole('dialog', { name: 'Все прошло хорошо.' });
  await popup.getByText('Спасибо! Мы получили Ваш заказ. Мы его уже собираем.').waitFor();
  assert.equal(new URL(page.url()).hash, '#success_popup');
  await basketIcon(page, 0).waitFor();
  await assertAccessible(page);
  await popup.getByRole('button', { name: 'Продолжить покупки' }).click();
  await popup.waitFor({ state: 'hidden' });
  assert.equal(new URL(page.url()).hash, '');

  // The command line knows the same order.
  const known = await shop.order(order.number);
  assert.equal(known.total_paid, seen);
  assert.equal(known.status, 'RECEIVED');
  assert.equal(known.is_paid, false);
  assert.equal(known.payment_method, 'CASH');
  assert.equal(known.customer_email, 'cash@example.com');
  assert.equal(known.customer_phone, '+77011234567');
  assert.equal(known.customer_city, 'Алматы');
  assert.deepEqual(
    known.lines.map(({ article, amount }) => [article, amount]),
    [['DL-10016', 1]],
  );
  const told = await shop.run('orders', 'show', String(order.number));
  assert.match(told, new RegExp(`Order\\s+${order.number}`));
  assert.ok(told.includes(serum.name));
});

/** Fills a basket and a form, and goes to the bank. */
async function toTheBank(page, product, email) {
  await buy(page, product);
  await page.goto('/checkout');
  await fillCheckout(page, email);
  await cash(page).waitFor();
  const seen = await money(total(page));
  await page.getByRole('button', { name: 'Оплатить' }).click();
  await page.waitForURL('**/pay/sandbox/**');
  const heading = await page.getByRole('heading', { name: /^Оплата заказа \d+$/ }).textContent();
  assert.equal(await money(page.locator('dd.sum')), seen);
  return { number: Number(heading.match(/\d+/)[0]), total: seen };
}

test('a card that the bank takes', async ({ page, shop }) => {
  const product = await shop.product('DL-10017', 5);
  const order = await toTheBank(page, product, 'paid@example.com');
  assert.equal(await shop.amount(product), 4);
  await assertAccessible(page);
  await picture(page, 'bank');
  await page.getByRole('button', { name: /^Оплатить/ }).click();
  await page.getByRole('dialog', { name: 'Все прошло хорошо.' }).waitFor();
  await basketIcon(page, 0).waitFor();
  const known = await shop.order(order.number);
  assert.equal(known.status, 'APPROVED');
  assert.equal(known.is_paid, true);
  assert.equal(known.total_paid, order.total);
  assert.equal(await shop.amount(product), 4);
});

test.describe(() => {
  test.use({ width: 360 });
  test('a card that the bank refuses', async ({ page, shop }) => {
    const product = await shop.product('DL-10019', 5);
    const order = await toTheBank(page, product, 'refused@example.com');
    await picture(page, 'bank');
    assert.equal(await shop.amount(product), 4);
    await page.getByRole('button', { name: 'Отказать в оплате' }).click();
    const popup = page.getByRole('dialog', { name: 'Что-то пошло не так' });
    await popup.getByText('Попробуйте оплатить ещё раз или свяжитесь с нами:').waitFor();
    assert.equal(new URL(page.url()).hash, '#error_popup');
    await assertAccessible(page);
    const known = await shop.order(order.number);
    assert.equal(known.status, 'PAYMENT_ERR');
    assert.equal(known.is_paid, false);
    assert.equal(await shop.amount(product), 5, 'the piece is free again');
    // Nothing of the basket or the form is lost.
    await basketIcon(page, 1).waitFor();
    await page.goto('/checkout');
    await page.getByText(product.name).first().waitFor();
    assert.equal(await page.getByLabel('E-mail').inputValue(), 'refused@example.com');

    // Another try pays the same order: there is no second one.
    await page.goto('/#error_popup');
    await popup.getByRole('button', { name: `Оплатить заказ № ${order.number}` }).click();
    await page.waitForURL('**/pay/sandbox/**');
    assert.equal(await money(page.locator('dd.sum')), order.total);
    await page.getByRole('button', { name: /^Оплатить/ }).click();
    await page.getByRole('dialog', { name: 'Все прошло хорошо.' }).waitFor();
    await basketIcon(page, 0).waitFor();
    assert.equal((await shop.order(order.number)).status, 'APPROVED');
    assert.equal(await shop.amount(product), 4);
    const orders = await shop.json('orders', 'list', '--limit', '1000');
    assert.ok(orders.every(({ number }) => number <= order.number));
  });
});

test('walking away from the bank', async ({ page, shop }) => {
  const product = await shop.product('DL-10024', 5);
  const order = await toTheBank(page, product, 'away@example.com');
  await page.getByRole('link', { name: 'Уйти, не заплатив' }).click();
  await basketIcon(page, 1).waitFor();
  const known = await shop.order(order.number);
  assert.equal(known.status, 'RECEIVED');
  assert.equal(known.is_paid, false);
  assert.equal(await shop.amount(product), 4, 'the piece is kept until the payment expires');
});

test.describe(() => {
  test.use({ intended: ['/api/promocodes/NOPE'] });
  test('a promo code, valid and not', async ({ page, shop }) => {
    const product = await shop.product('DL-10023', 5);
    await buy(page, product);
    await page.goto('/checkout');
    const code = page.getByLabel('Промокод');
    await code.fill('NOPE');
    await page.waitForFunction(() => document.querySelector('[name=promocode]').ariaInvalid === 'true');
    await code.fill('welcome10');
    await page.getByText('Промокод принят').waitFor();
    const off = product.discounted_price - Math.round(product.discounted_price / 10);
    await page.waitForFunction(
      (sum) => document.querySelector('dt:last-of-type + dd').textContent.replace(/\D/g, '') === String(sum),
      off,
    );
    await fillCheckout(page, 'welcome@example.com');
    await cash(page).check();
    await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
    const order = await send(page);
    assert.equal(order.total_paid, off + 1900);
    assert.equal((await shop.order(order.number)).total_paid, off + 1900);
  });
});

test.describe(() => {
  test.use({ intended: ['/calculate-price/'] });
  test('another browser sees the changed stock at once', async ({ page, shop, another }) => {
    const product = await shop.product('DL-10021', 1);
    const other = await another();
    await buy(other, product);
    await buy(page, product);
    await page.goto('/checkout');
    await fillCheckout(page, 'last@example.com');
    await cash(page).check();
    await send(page);
    await other.goto(`/product/${product.link}`);
    await other.getByRole('button', { name: 'Нет в наличии' }).waitFor();
    await other.goto('/basket');
    await other.getByText(`${product.name}: Товара нет в наличии. Убрали из корзины.`).waitFor();
    await other.getByText('Товаров в корзине пока нет').waitFor();
  });
});

test('two tabs share the basket', async ({ context, page, shop }) => {
  const product = await shop.product('DL-10020', 9);
  const tab = await context.newPage();
  await tab.goto('/basket');
  await tab.getByText('Товаров в корзине пока нет').waitFor();
  await buy(page, product);
  await basketIcon(tab, 1).waitFor();
  await tab.getByRole('button', { name: 'Добавить одну штуку' }).click();
  await basketIcon(page, 2).waitFor();
  await tab.getByRole('button', { name: `Удалить: ${product.name}` }).click();
  await basketIcon(page, 0).waitFor();
});

test('a search in the wrong keyboard layout', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Поиск' }).click();
  const search = page.getByRole('searchbox', { name: 'Поиск по магазину' });
  await search.fill('csdjhjnrf');
  await search.press('Enter');
  const results = page.getByRole('list', { name: 'Результаты поиска' });
  await results
    .getByText(/сыворотка/i)
    .first()
    .waitFor();
  await assertAccessible(page);
  await picture(page, 'search', { fullPage: false });
  const name = await results.getByRole('link').first().textContent();
  await results.getByRole('button', { name: `Добавить в корзину: ${name}` }).click();
  await results.getByRole('button', { name: `В корзине: ${name}` }).click();
  await page.waitForURL('**/basket');
  await search.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Поиск' }).click();
  await search.fill('щщщщщщщщ');
  await page.getByRole('button', { name: 'Найти' }).click();
  await page.getByText('По вашему запросу ничего не нашлось').waitFor();
});

test('a checkout with the keyboard alone', async ({ page, shop }) => {
  const product = await shop.product('DL-10025', 9);
  await page.goto(`/product/${product.link}`);
  const add = page.getByRole('button', { name: 'Добавить в корзину' });
  await add.waitFor();
  await tabTo(page, add);
  await page.keyboard.press('Enter');
  const plus = page
    .getByRole('group', { name: `Количество: ${product.name}` })
    .first()
    .getByRole('button', { name: 'Добавить одну штуку' });
  await tabTo(page, plus);
  await page.keyboard.press('Enter');
  await basketIcon(page, 2).waitFor();
  await page.goto('/basket');
  const onwards = page.getByRole('link', { name: 'Оформить заказ' });
  await onwards.waitFor();
  await tabTo(page, onwards);
  await page.keyboard.press('Enter');
  const type = async (label, text) => {
    await tabTo(page, page.getByLabel(label, { exact: true }));
    await page.keyboard.type(text);
  };
  const city = page.getByRole('combobox', { name: /Город/ });
  await city.waitFor();
  await tabTo(page, city);
  await chooseCity(page);
  await type('Улица', 'Сатпаева');
  await type('Дом', '7');
  await type('Имя', 'Ерлан');
  await type('Фамилия', 'Омаров');
  await type('E-mail', 'keyboard@example.com');
  await type('Телефон', '7012223344');
  await cash(page).waitFor();
  await tabTo(page, page.getByRole('radio', { name: 'Картой онлайн' }));
  await page.keyboard.press('ArrowDown');
  assert.ok(await page.getByRole('radio', { name: 'Счёт в Kaspi' }).isChecked());
  await page.keyboard.press('ArrowDown');
  assert.ok(await cash(page).isChecked());
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
  await tabTo(page, page.getByRole('button', { name: 'Далее' }));
  const answered = page.waitForResponse((response) => response.url().endsWith('/api/orders/'));
  await page.keyboard.press('Enter');
  const order = await (await answered).json();
  await page.getByRole('dialog', { name: 'Все прошло хорошо.' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const known = await shop.order(order.number);
  assert.equal(known.customer_phone, '+77012223344');
  assert.equal(known.total_paid, 2 * product.discounted_price + 1900);
});

/** A picture as a camera gives it: a file of a real format. */
const photo = (name, format, colour) =>
  sharp({ create: { width: 900, height: 700, channels: 3, background: colour } })
    [format]()
    .toBuffer()
    .then((buffer) => ({ name, mimeType: `image/${format}`, buffer }));

for (const width of [360, 1280]) {
  test.describe(() => {
    test.use({ width });
    test(`a review with photographs on ${width} px`, async ({ page, shop }) => {
      const product = await shop.product(width === 360 ? 'DL-10026' : 'DL-10027', 5);
      await page.goto(`/product/${product.link}`);
      const write = page.getByRole('button', { name: 'Оставить отзыв' });
      await write.focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Ваш отзыв' });
      await tabTo(page, dialog.getByRole('button', { name: 'Отправить отзыв' }));
      await page.keyboard.press('Enter');
      await dialog.getByText('* Заполните поле').nth(4).waitFor();
      await tabTo(page, dialog.getByRole('radio', { name: '1 звезда' }));
      for (let star = 1; star < 5; star++) await page.keyboard.press('ArrowRight');
      await dialog.getByLabel('Отзыв').fill('Пахнет липой, кожа мягкая.');
      await dialog
        .getByLabel('Добавить фото')
        .first()
        .setInputFiles([
          await photo('box.png', 'png', 'olive'),
          await photo('blurred.jpg', 'jpeg', 'grey'),
          await photo('cream.jpg', 'jpeg', 'wheat'),
        ]);
      await dialog.getByRole('button', { name: 'Убрать фото blurred.jpg' }).click();
      await dialog.getByLabel('Имя').fill('Айгерим');
      await dialog.getByLabel('E-mail').fill('review@example.com');
      await dialog.getByLabel('Телефон').pressSequentially('87011234567');
      await assertAccessible(page);
      await picture(page, 'review', { fullPage: false });
      await dialog.getByRole('button', { name: 'Отправить отзыв' }).click();
      await page.getByText('Он уже на странице товара.').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Закрыть' }).click();
      const sorted = page.waitForResponse((response) => response.url().includes('/reviews/'));
      await page.getByRole('button', { name: 'С фото' }).click();
      await sorted;
      const shown = page.getByRole('button', { name: 'Айгерим: открыть фото 1 из 2' });
      await shown.click();
      const large = page.getByRole('dialog', { name: 'Фото к отзыву: Айгерим' });
      await large.getByRole('img').evaluate((image) => image.decode());
      await large.getByRole('button', { name: 'Вперёд' }).click();
      await large.getByText('2 из 2').waitFor();
      await assertAccessible(page);
      await picture(page, 'review photo', { fullPage: false });
      await page.keyboard.press('Escape');
      await large.waitFor({ state: 'detached' });
      assert.ok(await shown.evaluate((button) => button === document.activeElement), 'the focus is back');
      await assertAccessible(page);
      await picture(page, 'product reviewed');
    });
  });
}

test('a notice when a product is back', async ({ page, shop }) => {
  const product = await shop.product('DL-10028', 0);
  await page.goto(`/product/${product.link}`);
  await page
    .getByRole('link', { name: /^Зайдите в аккаунт/ })
    .first()
    .waitFor();
  await assertAccessible(page);
  const email = 'waiting@example.com';
  await signIn(page, email);
  await page.goto(`/product/${product.link}`);
  await page.getByRole('button', { name: 'Подписаться на обновление' }).click();
  await page.getByRole('button', { name: 'Вы успешно подписаны на данный товар' }).waitFor();
  await picture(page, 'product awaited', { fullPage: false });
  await page.reload();
  await page.getByRole('button', { name: 'Вы уже подписаны' }).waitFor();
  await shop.run('stock', 'receive', '--article', 'DL-10028', '--quantity', '3');
  const told = async () =>
    (await shop.letters(email)).filter((letter) => letter.includes('/unsubscribe/restock/'));
  for (let tries = 0; (await told()).length === 0; tries++) {
    assert.ok(tries < 100, 'the letter comes');
    await new Promise((passed) => setTimeout(passed, 100));
  }
  assert.equal((await told()).length, 1);
  await page.reload();
  await page.getByRole('button', { name: 'Добавить в корзину' }).waitFor();
});

test('bonuses that were earned pay for the next order', async ({ page, shop }) => {
  const product = await shop.product('DL-10016', 9);
  const email = 'bonus@example.com';
  await signIn(page, email);
  const first = await toTheBank(page, product, email);
  await page.getByRole('button', { name: /^Оплатить/ }).click();
  await page.getByRole('dialog', { name: 'Все прошло хорошо.' }).waitFor();
  for (const step of ['process', 'complete']) await shop.run('orders', step, String(first.number));
  const earned = Math.round((product.discounted_price * 3) / 100);
  await buy(page, product);
  await page.goto('/checkout');
  // The form knows the customer.
  await page.getByText(/На счёте/).waitFor();
  assert.equal(await page.getByLabel('E-mail').inputValue(), email);
  await fillCheckout(page, email);
  await cash(page).check();
  await page.getByLabel(/^Списать сколько можно/).check();
  await page.getByText('Бонусы', { exact: true }).nth(1).waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
  const seen = await money(total(page));
  assert.equal(seen, product.discounted_price + 1900 - earned);
  await assertAccessible(page);
  await picture(page, 'checkout bonuses');
  const order = await send(page);
  assert.equal((await shop.order(order.number)).total_paid, seen);
});

test.describe(() => {
  test.use({ width: 360 });
  test('a price that changes while the product is in the basket', async ({ page, shop }) => {
    const product = await shop.product('DL-10029', 9);
    await buy(page, product);
    await shop.run('catalog', 'price', 'DL-10029', String(product.discounted_price + 500));
    await page.goto('/basket');
    await page.getByText(/^Цена изменилась: была/).waitFor();
    await assertAccessible(page);
    await picture(page, 'basket changed');
    await page.getByRole('button', { name: `Понятно: ${product.name}` }).click();
    await page.getByText(/^Цена изменилась/).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: product.name }).waitFor();
    assert.equal(await page.getByText(/^Цена изменилась/).count(), 0);
  });
});

// It ends the server in the middle of its work, and starts it again.
test.describe(() => {
  test.use({ intended: ['/api/', '/healthz'] });
  test('one order, whatever happens to the server', async ({ page, shop }) => {
    const product = await shop.product('DL-10011', 9);
    const before = await shop.amount(product); // an order of the demo may hold a piece
    const email = 'patient@example.com';
    await buy(page, product);
    await page.getByRole('button', { name: 'Добавить одну штуку' }).first().click();
    await page.goto('/checkout');
    await fillCheckout(page, email);
    await cash(page).check();
    await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));

    // The server takes the order and dies before its answer arrives.
    let first;
    await page.route(
      '**/api/orders/',
      async (route) => {
        first = await (await route.fetch()).json();
        await shop.kill();
        await route.abort('connectionreset');
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Далее' }).click();
    const lost = page.getByRole('heading', { name: 'Не удалось отправить заказ' });
    await lost.waitFor();
    await assertAccessible(page);

    // Nobody is there, also after a reload of what the browser kept.
    const again = page.getByRole('button', { name: 'Отправить ещё раз' });
    await again.click();
    await again.waitFor();

    await shop.start();
    await page.reload();
    await lost.waitFor();
    const answered = page.waitForResponse('**/api/orders/');
    await again.click();
    const second = await (await answered).json();
    assert.equal(second.number, first.number);
    await page.getByRole('dialog', { name: 'Все прошло хорошо.' }).waitFor();
    assert.equal(await shop.amount(product), before - 2, 'two pieces are reserved, once');
    const orders = await shop.json('orders', 'list', '--limit', '1000');
    const mine = await Promise.all(
      orders
        .filter(({ total_paid }) => total_paid === second.total_paid)
        .map(({ number }) => shop.order(number)),
    );
    assert.deepEqual(
      mine.filter((order) => order.customer_email === email).map(({ number }) => number),
      [first.number],
    );
  });
});
