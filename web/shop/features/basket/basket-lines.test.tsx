import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { cardWith } from '../../testing/answers';
import { renderPart } from '../../testing/render';
import { BasketLines } from './basket-lines';
import { basket, useBasket } from './basket-store';

const serum = cardWith({
  id: 'serum',
  link: 'serum',
  name: 'Сыворотка',
  package_size: '50 мл',
  article: 'OS-101',
  price: 9490,
  discounted_price: 7990,
  amount: 3,
});

function Lines({ small }: { small?: boolean }) {
  return <BasketLines lines={useBasket()} small={small} />;
}

function show(small?: boolean) {
  basket.add(serum);
  basket.plus('serum');
  const { user } = renderPart(<Lines small={small} />);
  const line = screen.getByRole('listitem');
  return { user, line: within(line), text: () => line.textContent?.replaceAll('\u00a0', ' ') };
}

test('a line shows its product, the price to pay times how many, and the old price struck through', () => {
  const { line, text } = show();
  expect(line.getByRole('link', { name: 'Сыворотка, 50 мл' }).getAttribute('href')).toBe('/product/serum');
  expect(text()).toContain('7 990 ₸ × 2 =15 980 ₸');
  expect(document.querySelector('s')?.textContent).toMatch(/18.980.₸/);
  expect(text()).not.toContain('OS-101');
});

test('minus and the bin take pieces and the line away', async () => {
  const { user, line } = show();
  await user.click(line.getByRole('button', { name: 'Убрать одну штуку' }));
  expect(basket.lines()[0]?.count).toBe(1);
  await user.click(line.getByRole('button', { name: 'Удалить: Сыворотка' }));
  expect(basket.lines()).toEqual([]);
});

test('at checkout a line has its article too', () => {
  const { text } = show(true);
  expect(text()).toContain('Артикул OS-101');
});
