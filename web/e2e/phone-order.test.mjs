import assert from 'node:assert/strict';
import { look, tabTo } from './checks.mjs';
import { test } from './fixtures.mjs';
import { signInStaff } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401. What is missing in an order is a 400.
test.use({ intended: ['/api/staff/me', '/api/staff/phone-orders'] });

test('a manager takes an order by phone, with the scanner and a discount by hand', async ({ page, shop }) => {
  const soap = await shop.product('DL-10016', 48);
  await signInStaff(page, shop, 'phones@shop.example', 'manager');
  await page.goto('/admin');
  await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await look(page, 'office-keys', false);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' }); // it takes keys until it is gone
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.getByRole('heading', { name: 'Order by phone', level: 1 }).waitFor();

  // As a scanner types, and garbage that is no article.
  const search = page.getByRole('searchbox', { name: /Name or article/ });
  await tabTo(page, search);
  await page.keyboard.type('@@@@');
  await page.keyboard.press('Enter');
  await page.getByText('There is no product @@@@.').waitFor();
  await search.fill('');
  await page.keyboard.type('DL-10016');
  await page.keyboard.press('Enter');
  const amount = page.getByRole('spinbutton', { name: `Amount: ${soap.name}` });
  await amount.waitFor();
  await amount.fill('3');
  await page.getByRole('textbox', { name: 'Discount by hand, %' }).fill('40');
  await page.getByText('Скидка вручную: целое число процентов от 0 до 30').waitFor();
  await page.getByRole('textbox', { name: 'Discount by hand, %' }).fill('10');
  await page.getByText('Выберите причину скидки').waitFor();
  await page.getByLabel('Reason').selectOption('apology');
  await page.getByText('Скидка менеджера 10').waitFor();

  await page.getByRole('button', { name: 'Place the order' }).click();
  await page.getByText('Заполните поле').first().waitFor();
  await page.getByText(/Без согласия покупателя/).waitFor();
  await look(page, 'phone-order');
  await page.setViewportSize({ width: 1280, height: 900 });
  for (const [label, value] of Object.entries({
    Telephone: '8 701 555 44 33',
    'E-mail': 'phone-order@example.kz',
    'First name': 'Сауле',
    'Last name': 'Ахметова',
    Street: 'Абая',
    House: '10',
  }))
    await page.getByRole('main').getByLabel(label, { exact: true }).fill(value);
  // The draft is there after a reload.
  await page.reload();
  await page.getByText('Скидка менеджера 10').waitFor();
  assert.equal(await page.getByLabel('First name').inputValue(), 'Сауле');
  await page.getByRole('checkbox', { name: /The customer agreed/ }).check();
  await tabTo(page, page.getByRole('button', { name: 'Place the order' }));
  await page.keyboard.press('Enter');
  const title = page.getByRole('heading', { name: /Order \d+ is placed/ });
  await title.waitFor();
  const number = (await title.textContent()).match(/\d+/)[0];
  const whatsapp = await page.getByRole('link', { name: 'Write in WhatsApp' }).getAttribute('href');
  assert.ok(whatsapp.startsWith('https://wa.me/77015554433?text=') && whatsapp.includes(number));
  await look(page, 'phone-order-placed');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('link', { name: 'Open the order' }).click();
  await page.getByText('Скидка менеджера 10').waitFor({ state: 'attached' });

  // Whoever calls again is found.
  await page.goto('/admin/orders/new');
  await page.getByRole('textbox', { name: 'Telephone' }).fill('+7 (701) 555-44-33');
  await page.getByRole('button', { name: 'Find earlier orders' }).click();
  await page.getByRole('button', { name: 'Fill in: Сауле Ахметова' }).click();
  assert.equal(await page.getByLabel('E-mail').inputValue(), 'phone-order@example.kz');
});
