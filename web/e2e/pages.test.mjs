// Every page, at every width: nothing sideways, nothing for axe to find, a silent console, and a picture to look at.
import assert from 'node:assert/strict';
import { assertAccessible, look, picture } from './checks.mjs';
import { test } from './fixtures.mjs';
import { basketIcon, buy, openWithoutModules, rendered } from './steps.mjs';

const pages = [
  { name: 'home', at: '/', heading: 'Состав, который можно прочитать вслух' },
  { name: 'categories', at: '/categories', heading: 'Категории' },
  { name: 'category with children', at: '/categories/litso', heading: 'Лицо' },
  { name: 'category', at: '/category/syvorotki', heading: 'Сыворотки' },
  { name: 'product', at: '/product/ostara-niacinamide-serum', heading: /Сыворотка для лица/ },
  { name: 'brands', at: '/brands', heading: 'Бренды' },
  { name: 'brand', at: '/brands/ostara', heading: 'Ostara' },
  { name: 'about', at: '/about', heading: 'О нас' },
  { name: 'news', at: '/news', heading: 'Блог' },
  { name: 'delivery', at: '/dostavka-i-skidki', heading: 'Доставка и скидки' },
];
for (const { name, at, heading } of pages) {
  test(`page: ${name}`, async ({ page }) => {
    const response = await page.goto(at);
    assert.equal(response.status(), 200);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await page.waitForLoadState('networkidle');
    await look(page, name);
  });
}

test('page: post', async ({ page, shop }) => {
  const [post] = (await shop.get('/api/blog/posts/')).results;
  await page.goto('/news');
  await page.getByRole('link', { name: post.title }).click();
  await page.getByRole('heading', { level: 1, name: post.title }).waitFor();
  assert.equal(new URL(page.url()).pathname, `/news/${post.link}`);
  await look(page, 'post');
});

const spaces = /\s+/g;

test.describe(() => {
  test.use({ javaScriptEnabled: false });
  test('every public page says what it has without a script', async ({ page, shop }) => {
    const [{ link }] = (await shop.get('/api/blog/posts/')).results;
    const post = await shop.get(`/api/blog/posts/${link}/`);
    const product = await shop.product('DL-10016');
    const { description } = await shop.get('/api/brands/ostara/');
    const [category] = (await shop.get('/api/products/?category_id=syvorotki')).results;
    const { results } = await shop.get('/api/products/popular/');
    const price = ({ discounted_price }) => `${String(discounted_price).replace(/\B(?=(\d{3})+$)/g, ' ')} тг`;
    const content = {
      home: [results[0].name, price(results[0]), 'Органика, доступная так же, как в Европе'],
      categories: ['Лицо', 'Популярные бренды'],
      'category with children': ['Сыворотки', 'Смотреть товары'],
      category: [category.name, price(category)],
      product: [price(product).replace('тг', '₸'), product.description, 'Похожие товары'],
      brands: ['Категории'],
      brand: [description.split('. ')[0]],
      about: ['Как всё началось'],
      news: [post.title],
      delivery: ['30 000 ₸', '1 900 ₸', 'возврату и обмену не подлежат'],
    };
    const paragraph = post.content.match(/<p>([^<]+)/)[1];
    for (const { name, at, heading } of [
      ...pages.map((one) => (one.name === 'product' ? { ...one, at: `/product/${product.link}` } : one)),
      { name: 'post', at: `/news/${link}`, heading: post.title },
    ]) {
      const title = page.getByRole('heading', {
        level: 1,
        name: name === 'product' ? product.name : heading,
      });
      await page.goto(at);
      // A page that took more than a second to render comes bare, and is there for the next visitor.
      for (let tries = 0; tries < 40 && (await title.count()) === 0; tries++) {
        await page.waitForTimeout(250);
        await page.reload();
      }
      const said = (await page.getByRole('main').textContent()).replace(spaces, ' ');
      for (const text of name === 'post' ? [paragraph] : content[name]) {
        if (name !== 'brands') assert.ok(said.includes(text.replace(spaces, ' ')), `${at} says ${text}`);
      }
      if (name === 'brands') await page.getByRole('main').getByRole('link', { name: 'Ostara' }).waitFor();
    }
  });
});

/** What the server says of an address in its head. */
async function headOf(page, at) {
  const html = await (await page.request.get(at)).text();
  // The shop's own pages may make no HTML of a text; an empty one may.
  const empty = await page.context().newPage();
  const said = await empty.evaluate((text) => {
    const { title, head } = new DOMParser().parseFromString(text, 'text/html');
    return [
      title,
      head.querySelector('meta[name="description"]')?.content,
      head.querySelector('link[rel="canonical"]')?.getAttribute('href'),
    ];
  }, html);
  await empty.close();
  return said;
}

const shownHead = (page) =>
  page.evaluate(() => [
    document.title,
    document.querySelector('meta[name="description"]')?.content,
    document.querySelector('link[rel="canonical"]')?.getAttribute('href'),
  ]);

for (const language of ['ru', 'kk']) {
  test(`heads follow the shopper (${language})`, async ({ page, context, shop }) => {
    await context.addCookies([{ name: 'lang', value: language, url: shop.origin }]);
    await page.goto('/about');
    await page.waitForLoadState('networkidle');
    assert.equal(await page.locator('html').getAttribute('lang'), language);
    assert.deepEqual(await shownHead(page), await headOf(page, '/about'), 'as it came');
    await page.evaluate(() => {
      globalThis.here = true;
    });
    const [{ link }] = (await shop.get('/api/products/?category_id=syvorotki')).results;
    const [post] = (await shop.get('/api/blog/posts/')).results;
    for (const at of [
      '/',
      '/categories',
      '/categories/litso',
      '/category/syvorotki',
      `/product/${link}`,
      '/brands',
      '/brands/ostara',
      '/dostavka-i-skidki',
      '/news',
      `/news/${post.link}`,
    ]) {
      await page.locator(`a[href="${at}"], a[href="${at}/"]`).first().click();
      await page.waitForURL((url) => url.pathname.replace(/(.)\/$/, '$1') === at);
      const wanted = await headOf(page, at);
      await page.waitForFunction((title) => document.title === title, wanted[0]);
      assert.deepEqual(await shownHead(page), wanted, at);
    }
    assert.ok(await page.evaluate(() => globalThis.here), 'all that without a reload');
  });
}

test('the blog has pages of three posts, and each starts at its top', async ({ page, shop }) => {
  const { count } = await shop.get('/api/blog/posts/');
  await page.goto('/news');
  await page.getByRole('article').nth(2).waitFor();
  const pages = page.getByRole('navigation', { name: 'Страницы' });
  await pages.scrollIntoViewIfNeeded();
  await pages.getByRole('link', { name: 'Следующая страница' }).click();
  await page.waitForURL('**/news?page=2');
  await page.waitForFunction(() => scrollY === 0);
  await pages
    .getByRole('link', { name: 'Страница 2', exact: true })
    .and(page.locator('[aria-current]'))
    .waitFor();
  assert.equal(await page.getByRole('article').count(), Math.min(3, count - 3));
  await page.goBack();
  await pages
    .getByRole('link', { name: 'Страница 1', exact: true })
    .and(page.locator('[aria-current]'))
    .waitFor();
});

test('a hash leads to its place', async ({ page }) => {
  await page.goto('/about');
  await page.getByRole('banner').getByRole('link', { name: 'Преимущества' }).click();
  await page.getByRole('heading', { name: 'Три вещи, которые мы проверяем' }).waitFor();
  await page.waitForFunction(() => {
    const { top } = document.getElementById('advantages').getBoundingClientRect();
    return top >= 0 && top < 300;
  });
});

test('what is out of sight is left alone once its height is known', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/');
  const height = () => page.evaluate(() => document.documentElement.scrollHeight);
  const whole = (on) =>
    page.evaluate((all) => document.documentElement.toggleAttribute('data-whole', all), on);
  await page.evaluate(() => dispatchEvent(new Event('scroll')));
  await page.waitForFunction(() => 'laidOut' in document.documentElement.dataset);
  const skipped = await page.evaluate(
    () => !document.querySelector('footer li').checkVisibility({ contentVisibilityAuto: true }),
  );
  assert.ok(skipped, 'the footer is not rendered');
  const known = await height();
  await whole(true);
  assert.equal(await height(), known);
  await whole(false);
});

test('the page does not jump while it is scrolled fast', async ({ page }) => {
  await page.addInitScript(() => {
    window.moved = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.moved += value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto('/');
  await page.waitForLoadState('networkidle');
  await page.mouse.move(600, 400);
  await page.waitForFunction(() => {
    const { scrollingElement } = document;
    return scrollingElement.scrollTop + innerHeight >= scrollingElement.scrollHeight - 1 || scrollBy(0, 500);
  });
  await page.waitForFunction(() => 'laidOut' in document.documentElement.dataset);
  // The frames after it.
  await page.evaluate(() => new Promise((next) => setTimeout(next, 500)));
  assert.ok((await page.evaluate(() => window.moved)) < 0.1);
});

test('rows show as many as the width has room for, and turn', async ({ page }) => {
  await page.goto('/');
  const row = page.getByRole('list', { name: 'Популярное', exact: true });
  const brands = page.getByRole('list', { name: 'Бренды', exact: true });
  await row.getByRole('article').first().waitFor();
  await brands.getByRole('link').first().waitFor();
  const shown = (of = row) =>
    of.evaluate((list) => {
      const { left, right } = list.getBoundingClientRect();
      const boxes = [...list.children].map((child) => child.getBoundingClientRect());
      const inView = boxes.filter((box) => box.left > left - 2 && box.right < right + 2);
      return [inView.length, new Set(inView.map((box) => Math.round(box.top))).size];
    });
  for (const [width, ...expected] of [
    [1280, 4, 1],
    [960, 2, 1],
    [320, 4, 2],
  ]) {
    await page.setViewportSize({ width, height: 900 });
    await row.evaluate((list) => list.scrollTo({ left: 0 }));
    assert.deepEqual(await shown(), expected, `at ${width} px`);
  }
  for (const [width, expected] of [
    [1280, 4],
    [1440, 5],
    [1920, 6],
    [960, 3],
  ]) {
    await page.setViewportSize({ width, height: 900 });
    await brands.evaluate((list) => list.scrollTo({ left: 0 }));
    assert.deepEqual(await shown(brands), [expected, 1], `brands at ${width} px`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await row.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector('#popular ul').scrollLeft > 200);
  await page.getByRole('button', { name: 'Остановить показ: Популярное' }).click();
  await page.getByRole('button', { name: 'Продолжить показ: Популярное' }).waitFor();
});

test.describe(() => {
  test.use({ width: 360 });
  test('the shop speaks Kazakh to those who choose it', async ({ page }) => {
    await page.goto('/');
    await page.getByRole('button', { name: 'Қаз' }).click();
    await page.getByRole('heading', { level: 1, name: 'Дауыстап оқуға болатын құрам' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'kk');
    await look(page, 'home in Kazakh');
    await page.goto('/dostavka-i-skidki');
    await page.getByRole('heading', { level: 1, name: 'Жеткізу және жеңілдіктер' }).waitFor();
    await look(page, 'delivery in Kazakh');
    await page.getByRole('button', { name: 'Рус' }).click();
    await page.getByRole('heading', { level: 1, name: 'Доставка и скидки' }).waitFor();
  });
});

test('page: product that is out of stock', async ({ page, shop }) => {
  const product = await shop.product('DL-10022', 0);
  await page.goto(`/product/${product.link}`);
  await page.getByRole('button', { name: 'Нет в наличии' }).waitFor();
  await page.getByText('Зайдите в аккаунт, чтобы подписаться на обновление товара').first().waitFor();
  await look(page, 'product out of stock');
});

test('page: basket', async ({ page, shop }) => {
  await page.goto('/basket');
  await page.getByText('Товаров в корзине пока нет').waitFor();
  await look(page, 'basket empty');
  await buy(page, await shop.product('DL-10016', 48));
  await buy(page, await shop.product('DL-10018', 48));
  await page.goto('/basket');
  await page.getByRole('link', { name: 'Оформить заказ' }).waitFor();
  await page.getByText('Почему столько?').click();
  await look(page, 'basket');
  await page.getByRole('button', { name: 'Очистить корзину' }).click();
  await look(page, 'basket dialog', false);
});

test('page: checkout', async ({ page, shop }) => {
  await buy(page, await shop.product('DL-10016', 48));
  await page.goto('/checkout');
  await page.getByRole('button', { name: 'Оплатить' }).waitFor();
  await look(page, 'checkout');
  const city = page.getByRole('combobox', { name: /Город/ });
  await city.pressSequentially('ал');
  await page.getByRole('option', { name: /^Алматы/ }).waitFor();
  await look(page, 'checkout city', false);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Оплатить' }).click();
  await page.getByText(/Проверьте поля с ошибками/).waitFor();
  await look(page, 'checkout errors');
});

test.describe(() => {
  test.use({ width: 360 });
  test('page: menu and search', async ({ page }) => {
    await page.goto('/brands');
    const burger = page.getByRole('button', { name: 'Открыть меню' });
    const opened = await burger.boundingBox();
    await burger.click();
    const menu = page.getByRole('dialog', { name: 'Меню' });
    await menu.getByRole('link', { name: 'Каталог' }).waitFor();
    assert.equal(
      await page.evaluate(() => getComputedStyle(document.documentElement).overflowY),
      'hidden',
      'the page behind is locked',
    );
    await assertAccessible(page);
    await picture(page, 'menu', { fullPage: false });
    // A second tap at the same place closes what the first has opened.
    const x = opened.x + opened.width / 2;
    const y = opened.y + opened.height / 2;
    await page.mouse.click(x, y);
    await menu.waitFor({ state: 'hidden' });
    assert.equal(new URL(page.url()).pathname, '/brands', 'the tap met nothing but the cross');
    await page.getByRole('button', { name: 'Поиск' }).click();
    await page.getByRole('searchbox').fill('крем');
    await page.getByRole('list', { name: 'Подсказки' }).getByRole('listitem').first().waitFor();
    await assertAccessible(page);
    await picture(page, 'suggestions', { fullPage: false });
    await page.getByRole('searchbox').press('Enter');
    await page.getByText(/^Нашлось/).waitFor();
    await assertAccessible(page);
    await picture(page, 'search', { fullPage: false });
    const { height } = page.viewportSize();
    await page.mouse.click(180, height - 24);
    await page.getByRole('searchbox').waitFor({ state: 'hidden' });
  });
});

for (const hash of ['success_popup', 'error_popup']) {
  test(`page: ${hash}`, async ({ page }) => {
    await page.goto(`/#${hash}`);
    await page.getByRole('dialog').waitFor();
    await look(page, hash, false);
  });
}

test.describe(() => {
  test.use({ width: 360 });
  test('banners turn by themselves on narrow screens, and can be stopped', async ({ page }) => {
    await page.goto('/');
    const banners = page.getByRole('region', { name: 'Предложения' });
    const at = () =>
      banners.getByRole('list').evaluate((row) => Math.round(row.scrollLeft / row.clientWidth));
    await banners.getByRole('link').first().waitFor();
    assert.equal(await at(), 0);
    await page.waitForFunction(() => {
      const row = document.querySelector('[aria-label="Предложения"] ul');
      return row.scrollLeft === row.clientWidth;
    });
    // After the last one the first comes again.
    await page.waitForFunction(
      () => document.querySelector('[aria-label="Предложения"] ul').scrollLeft === 0,
    );
    await banners.getByRole('button', { name: /^Остановить показ/ }).click();
    await banners.getByRole('button', { name: /^Продолжить показ/ }).waitFor();
    await picture(page, 'home banners', { fullPage: false });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    // Nothing moves then, so there is nothing to stop.
    await banners.getByRole('button').waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 1000, height: 780 });
    await banners.waitFor({ state: 'detached' });
  });
});

const missing = [
  '/nowhere',
  '/product/nowhere',
  '/brands/nowhere',
  '/category/nowhere',
  '/categories/nowhere',
  '/news/nowhere',
];
test.describe(() => {
  test.use({ intended: ['/nowhere'] });
  test('what is not there is a real 404', async ({ page }) => {
    for (const at of missing) {
      const response = await page.goto(at);
      assert.equal(response.status(), 404, at);
      await page.getByRole('heading', { name: 'Упс. Мы не нашли такую страницу' }).waitFor();
    }
    await look(page, 'not found');
    await page.getByRole('link', { name: 'Вернуться назад' }).click();
    await page.getByRole('heading', { name: 'Состав, который можно прочитать вслух' }).waitFor();
    await basketIcon(page, 0).waitFor();
  });
});

test('the documents of the shop are PDF files', async ({ page, shop }) => {
  await page.goto('/about');
  for (const name of ['Политика конфиденциальности', 'Публичная оферта']) {
    const link = page.getByRole('contentinfo').getByRole('link', { name });
    const response = await fetch(new URL(await link.getAttribute('href'), shop.origin));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/pdf');
    assert.equal(
      Buffer.from(await response.arrayBuffer())
        .subarray(0, 5)
        .toString(),
      '%PDF-',
    );
  }
});

test('a button pressed before the page can hear it is pressed once it can', async ({ page, shop }) => {
  const product = await shop.product('DL-10001', 9);
  const arrive = await openWithoutModules(page, `/product/${product.link}`);
  await page.getByRole('button', { name: 'Добавить в корзину' }).click();
  await basketIcon(page, 0).waitFor();
  arrive();
  await basketIcon(page, 1).waitFor();
});

test.describe(() => {
  test.use({ intended: ['/api/token/'] });
  test('a form sent before the page can hear it is sent once it can', async ({ page }) => {
    const arrive = await openWithoutModules(page, '/login');
    await page.getByLabel('E-mail').fill('nobody@example.com');
    await page.getByLabel('Пароль', { exact: true }).fill('a long walk home');
    await page.getByRole('button', { name: 'Войти' }).click();
    await page.waitForTimeout(200); // a form that is sent natively would lead elsewhere meanwhile
    assert.equal(new URL(page.url()).search, '');
    const [asked] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST'),
      arrive(),
    ]);
    assert.deepEqual(asked.postDataJSON(), { username: 'nobody@example.com', password: 'a long walk home' });
  });
});

test('what is typed before the page can hear it stays', async ({ page }) => {
  const arrive = await openWithoutModules(page, '/registration');
  const name = page.getByLabel('Имя');
  const phone = page.getByLabel('Телефон');
  await name.fill('Жанна');
  await phone.fill('87011234567');
  arrive();
  await page.waitForFunction(() => document.querySelector('input[type=tel]').value === '+7 (701) 123-45-67');
  // The form knows both: what it lacks is something else.
  await page.getByRole('button', { name: 'Создать аккаунт' }).click();
  await page.getByLabel('Фамилия').and(page.locator('[aria-invalid=true]')).waitFor();
  for (const field of [name, phone]) assert.notEqual(await field.getAttribute('aria-invalid'), 'true');
});

test('the first paint knows whether the basket is empty', async ({ page }) => {
  await rendered(page, '/basket');
  const empty = page.getByText('Товаров в корзине пока нет');
  await page.goto('/basket'); // which keeps the page
  await page.route('**/assets/*.js', () => {}); // they never come
  await page.goto('/basket');
  await empty.waitFor();
  await page.evaluate(() => localStorage.setItem('dala.basket', '[{"id":"serum","count":1}]'));
  await page.goto('/basket');
  await empty.waitFor({ state: 'hidden' });
});

test('the first paint of the basket has its goods', async ({ page, shop }) => {
  const product = await shop.product('DL-10016', 9);
  await buy(page, product);
  const arrive = await openWithoutModules(page, '/basket');
  const lines = page.getByRole('list', { name: 'Товары в корзине' });
  const line = lines.getByRole('listitem');
  const name = line.getByRole('link', { name: product.name });
  await name.waitFor();
  assert.equal(await name.getAttribute('href'), `/product/${product.link}`);
  await line
    .getByRole('presentation')
    .and(page.locator(`img[src="${product.picture.src}"]`))
    .waitFor();
  const remove = line.getByRole('button', { name: /^Удалить/ });
  assert.equal(await remove.count(), 0, 'a button that does nothing yet');
  arrive();
  await remove.first().waitFor();
  assert.equal(await line.count(), 1);
});
