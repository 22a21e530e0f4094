import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { cardWith } from '../../testing/answers';
import { renderPart } from '../../testing/render';
import { basket } from '../basket/basket-store';
import { ProductCard } from './product-card';

const text = (element: Element) => (element.textContent ?? '').replaceAll('\u00a0', ' ');

test('a card leads to its product and shows the old price only with a discount', () => {
  renderPart(<ProductCard product={cardWith({ price: 9490, discounted_price: 7990, total_discount: 16 })} />);
  const card = screen.getByRole('article');
  expect(within(card).getByRole('link').getAttribute('href')).toBe('/product/norden-deo');
  expect(text(card)).toContain('7 990 тг');
  expect(text(card)).toContain('9 490 тг');
  expect(text(card)).toContain('−16 %');
});

test('without a discount there is one price', () => {
  renderPart(<ProductCard product={cardWith({ price: 8900, discounted_price: 8900, total_discount: 0 })} />);
  expect(screen.queryByText(/Старая цена/)).toBeNull();
  expect(text(screen.getByRole('article')).match(/тг/g)).toHaveLength(1);
});

test('a price that ends says its last day, by the clock of the shop', () => {
  const sale = { price: 8900, discounted_price: 7900, total_discount: 11 };
  // In the middle of a day in Almaty, and at its end.
  for (const ends of ['2026-11-23T19:30:00Z', '2026-11-24T19:00:00Z']) {
    const { unmount } = renderPart(<ProductCard product={cardWith({ ...sale, price_ends_at: ends })} />);
    expect(text(screen.getByRole('article'))).toContain('до 24.11');
    unmount();
  }
  renderPart(<ProductCard product={cardWith({ ...sale, price_ends_at: null })} />);
  expect(text(screen.getByRole('article'))).not.toContain('до ');
});

test('reviews are counted when there are some and the product is in stock', () => {
  const { unmount } = renderPart(<ProductCard product={cardWith({ rating: 4.8, reviews_count: 126 })} />);
  expect(screen.getByRole('img', { name: 'Рейтинг 4,8 из 5' })).toBeTruthy();
  expect(text(screen.getByRole('article'))).toContain('126 отзывов');
  unmount();
  renderPart(<ProductCard product={cardWith({ reviews_count: 126, in_stock: false, amount: 0 })} />);
  expect(text(screen.getByRole('article'))).not.toContain('126');
});

test('out of stock says so and cannot be bought', () => {
  renderPart(<ProductCard product={cardWith({ in_stock: false, amount: 0 })} />);
  expect(screen.getByText('Нет в наличии')).toBeTruthy();
  expect(screen.getByText('Зайдите в аккаунт, чтобы подписаться на обновление товара')).toBeTruthy();
  expect(screen.queryByRole('button')).toBeNull();
});

test('adding shows how many, and says once when there are no more', async () => {
  const { user } = renderPart(<ProductCard product={cardWith({ name: 'Мыло', amount: 2 })} />);
  await user.click(screen.getByRole('button', { name: 'В корзину: Мыло' }));
  const counter = screen.getByRole('group', { name: 'Количество: Мыло' });
  const plus = within(counter).getByRole('button', { name: 'Добавить одну штуку' });
  await user.click(plus);
  expect(screen.queryByText(/Товар заканчивается/)).toBeNull();
  await user.click(plus);
  await user.click(plus);
  expect(basket.lines()[0]?.count).toBe(2);
  expect(screen.getAllByText('Товар заканчивается, Вы можете заказать не больше 2 штук')).toHaveLength(1);
});

test('the focus stays on the button that adds while it becomes the plus, and comes back to it from the last minus', async () => {
  const { user } = renderPart(<ProductCard product={cardWith({ name: 'Мыло', amount: 2 })} />);
  const button = screen.getByRole('button', { name: 'В корзину: Мыло' });
  button.focus();
  await user.keyboard('{Enter}');
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Добавить одну штуку' }));
  await user.keyboard('{Enter}');
  const minus = screen.getByRole('button', { name: 'Убрать одну штуку' });
  minus.focus();
  await user.keyboard('{Enter}');
  expect(document.activeElement).toBe(minus);
  await user.keyboard('{Enter}');
  expect(basket.lines()).toEqual([]);
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'В корзину: Мыло' }));
});

test('a missing picture is drawn by the kind of the category', () => {
  const { container } = renderPart(<ProductCard product={cardWith({ picture: null, main_image: null })} />);
  expect(container.querySelector('use')?.getAttribute('href')).toMatch(/#soap$/);
  expect(container.querySelector('img')).toBeNull();
});

test('a picture that does not load is drawn too', async () => {
  const { container } = renderPart(
    <ProductCard product={cardWith({ picture: null, main_image: '/img/gone.webp' })} />,
  );
  container.querySelector('img')?.dispatchEvent(new Event('error'));
  await screen.findByRole('article');
  await expect.poll(() => container.querySelector('use')).toBeTruthy();
});

test('in Kazakh a card says which of its texts are still Russian', () => {
  const kazakh = { name: 'Бет сарысуы', description: 'Нәзік күтім.', package_size: '50 мл' };
  renderPart(<ProductCard product={cardWith({ ...kazakh, russian: ['package_size'] })} />);
  expect(screen.getByRole('heading', { name: kazakh.name }).lang).toBe('kk');
  expect(screen.getByText(kazakh.description).lang).toBe('kk');
  expect(screen.getByText(/50 мл/).lang).toBe('ru');
});
