import { screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { serve, to } from '../../../kit/testing/server';
import { session } from '../../api/session';
import type { Product, Review } from '../../api/types';
import { recorded } from '../../testing/answers';
import { renderPart } from '../../testing/render';
import { Reviews } from './reviews';

const [first] = recorded.reviews.results as [Review];
const review = (id: string, facts: Partial<Review> = {}): Review => ({ ...first, id, content: id, ...facts });
const photo = recorded.reviewsWithPhoto.results[0]?.images[0] as Review['images'][number];
const about = (facts: Partial<Product>): Product => ({ ...recorded.product, ...facts });
const asked = to('GET', `/api/products/${recorded.product.id}/reviews/`);
const contents = () =>
  screen
    .getAllByRole('listitem')
    .filter((item) => item.querySelector('time'))
    .map((item) => item.querySelector('p')?.textContent);

test('the newest are there at once; the rest come page by page, each once', async () => {
  const log = serve({
    [`GET /api/products/${recorded.product.id}/reviews/`]: {
      ...recorded.reviews,
      next: null,
      // Somebody has just written one, so what was second on the first page begins the next.
      results: [review('second'), review('third')],
    },
  });
  const { user } = renderPart(
    <Reviews product={about({ reviews_count: 3, reviews: [review('first'), review('second')] })} />,
  );
  expect(contents()).toEqual(['first', 'second']);
  expect(log).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Показать ещё' }));
  await waitFor(() => expect(contents()).toEqual(['first', 'second', 'third']));
  expect(log.find(asked)?.query.get('offset')).toBe('2');
  expect(screen.queryByRole('button', { name: 'Показать ещё' })).toBeNull();
});

test('with photographs first, as the server sorts them; one opens large and turns by the arrow keys', async () => {
  const log = serve({
    [`GET /api/products/${recorded.product.id}/reviews/`]: {
      ...recorded.reviews,
      next: null,
      results: [review('seen', { author: 'Анна', images: [photo, { ...photo, image: '/media/two.jpg' }] })],
    },
  });
  const { user } = renderPart(<Reviews product={about({ reviews_count: 2, reviews: [review('new')] })} />);
  await user.click(screen.getByRole('button', { name: 'С фото' }));
  await waitFor(() => expect(contents()).toEqual(['seen']));
  expect(log.find(asked)?.query.get('ordering')).toBe('with_photo');
  await user.click(screen.getByRole('button', { name: 'Анна: открыть фото 1 из 2' }));
  const large = await screen.findByRole('dialog', { name: 'Фото к отзыву: Анна' });
  expect(within(large).getByRole('img').getAttribute('src')).toBe(photo.image);
  within(large).getByRole('button', { name: 'Вперёд' }).focus();
  await user.keyboard('{ArrowRight}');
  expect(within(large).getByRole('img').getAttribute('src')).toBe('/media/two.jpg');
  await user.click(within(large).getByRole('button', { name: 'Закрыть' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('a review says who gave how many stars, and when', () => {
  const said = review('Пахнет липой', { author: 'Анна', rating: 4, created_at: '2026-02-21T19:30:00+00:00' });
  renderPart(<Reviews product={about({ reviews_count: 1, reviews: [said] })} />);
  const item = within(screen.getByText('Пахнет липой').closest('li') as HTMLElement);
  expect(item.getByText('Анна')).toBeTruthy();
  expect(item.getByText('22.02.2026')).toBeTruthy();
  expect(item.getByRole('img', { name: 'Рейтинг 4 из 5' })).toBeTruthy();
});

test('the answer of the shop stands under its review', () => {
  renderPart(
    <Reviews product={about({ reviews_count: 1, reviews: [review('a', { admin_reply: 'Рады!' })] })} />,
  );
  expect(screen.getByText('Ответ магазина').parentElement?.textContent).toContain('Рады!');
});

const file = (name: string, type: string, size = 3) => new File([new Uint8Array(size)], name, { type });

async function write(product = about({ reviews: [], reviews_count: 0 })) {
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:1', revokeObjectURL: () => {} }));
  const page = renderPart(<Reviews product={product} />);
  await page.user.click(screen.getByRole('button', { name: 'Оставить отзыв' }));
  return { ...page, dialog: within(await screen.findByRole('dialog', { name: 'Ваш отзыв' })) };
}

async function fill({ user, dialog }: Awaited<ReturnType<typeof write>>) {
  await user.click(dialog.getByRole('radio', { name: '4 звезды' }));
  await user.type(dialog.getByLabelText('Отзыв'), 'Пахнет липой');
  await user.type(dialog.getByLabelText('Имя'), 'Анна');
  await user.type(dialog.getByLabelText('E-mail'), 'anna@example.kz');
  await user.type(dialog.getByLabelText('Телефон'), '87012345678');
}

test('nothing is sent while something is missing', async () => {
  const log = serve({});
  const { user, dialog } = await write();
  await user.click(dialog.getByRole('button', { name: 'Отправить отзыв' }));
  await waitFor(() => expect(dialog.getAllByText('* Заполните поле')).toHaveLength(5));
  expect(log).toEqual([]);
});

test('a review goes out with its photographs, and is thanked for', async () => {
  const log = serve({
    'POST /api/products/review/': () => ({ status: 201, body: { id: 'r', is_shown: true } }),
  });
  const page = await write();
  await fill(page);
  const { user, dialog } = page;
  const photos = dialog.getByLabelText('Добавить фото', { selector: 'input' });
  await user.upload(photos, [file('one.png', 'image/png'), file('two.jpg', 'image/jpeg')]);
  await user.click(dialog.getByRole('button', { name: 'Убрать фото one.png' }));
  await user.click(dialog.getByRole('button', { name: 'Отправить отзыв' }));
  expect(await screen.findByText('Он уже на странице товара.')).toBeTruthy();
  const sent = log.find(to('POST', '/api/products/review/'));
  expect(sent?.body).toEqual({
    product: recorded.product.id,
    rating: '4',
    content: 'Пахнет липой',
    name: 'Анна',
    email: 'anna@example.kz',
    phone: '+77012345678',
    images: 'two.jpg',
  });
  expect(sent?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f-]{36}$/);
});

test('a review that waits for the shop says so', async () => {
  serve({ 'POST /api/products/review/': () => ({ status: 201, body: { id: 'r', is_shown: false } }) });
  const page = await write();
  await fill(page);
  await page.user.click(page.dialog.getByRole('button', { name: 'Отправить отзыв' }));
  expect(await screen.findByText('Мы прочитаем его и покажем на странице товара.')).toBeTruthy();
});

test('photographs of another kind, too large or too many are refused by name', async () => {
  serve({});
  const { user, dialog } = await write();
  const input = dialog.getByLabelText('Добавить фото', { selector: 'input' });
  await user
    .setup({ applyAccept: false })
    .upload(input, [file('a.gif', 'image/gif'), file('b.png', 'image/png', (10 << 20) + 1)]);
  expect(await dialog.findByText('a.gif: подходят только PNG и JPG. b.png: больше 10 МБ')).toBeTruthy();
  await user.upload(
    input,
    Array.from({ length: 7 }, (_, at) => file(`${at}.png`, 'image/png')),
  );
  expect(await dialog.findByText('К отзыву можно добавить не больше 6 фото')).toBeTruthy();
  expect(within(dialog.getByRole('list', { name: 'Выбранные фото' })).getAllByRole('img')).toHaveLength(6);
});

test('what the server refuses stands at its field', async () => {
  serve({
    'POST /api/products/review/': () => ({
      status: 400,
      body: { phone: ['Такого номера нет'], images: ['Это не фотография'] },
    }),
  });
  const page = await write();
  await fill(page);
  await page.user.click(page.dialog.getByRole('button', { name: 'Отправить отзыв' }));
  expect(await page.dialog.findByText('Такого номера нет')).toBeTruthy();
  expect(page.dialog.getByText('Это не фотография')).toBeTruthy();
  expect(document.activeElement).toBe(page.dialog.getByLabelText('Телефон'));
});

test('a lost answer is asked for again under the same key', async () => {
  let lost = true;
  const log = serve({
    'POST /api/products/review/': () => {
      if (lost) throw new TypeError('Failed to fetch');
      return { status: 201, body: { id: 'r', is_shown: true } };
    },
  });
  const page = await write();
  await fill(page);
  const send = page.dialog.getByRole('button', { name: 'Отправить отзыв' });
  await page.user.click(send);
  expect(await page.dialog.findByText(/Не удалось отправить отзыв/)).toBeTruthy();
  lost = false;
  await page.user.click(send);
  expect(await screen.findByText('Спасибо за отзыв!')).toBeTruthy();
  const [one, two] = log.map(({ headers }) => headers.get('Idempotency-Key'));
  expect(one).toBe(two);
});

test('a customer is known by name', async () => {
  serve({ 'GET /api/auth/profile/': recorded.profile });
  session.start({ userId: recorded.profile.id, token: 't' });
  const { dialog } = await write();
  await waitFor(() => expect(dialog.getByLabelText<HTMLInputElement>('Имя').value).toBe('Анна'));
  expect(dialog.getByLabelText<HTMLInputElement>('Телефон').value).toBe('+7 (701) 234-56-78');
});
