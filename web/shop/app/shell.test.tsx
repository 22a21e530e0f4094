import { screen, within } from '@testing-library/react';
import { useLayoutEffect } from 'react';
import { expect, test, vi } from 'vitest';
import { serve } from '../../kit/testing/server';
import { recorded } from '../testing/answers';
import { renderPart } from '../testing/render';
import { Shell } from './shell';

/** A shopper who presses as soon as the page hears it, before anything else that a page does once it is there. */
function Hasty() {
  useLayoutEffect(() => screen.getByRole('button', { name: 'Открыть меню' }).click(), []);
  return null;
}

const frame = {
  'GET /api/rules/': recorded.rules,
  'GET /api/shop/': recorded.shop,
  'GET /api/categories/': recorded.categories,
};

test('the menu stays open for who opened it in the first moment', async () => {
  serve(frame);
  renderPart(
    <Shell>
      <Hasty />
    </Shell>,
  );
  expect(await screen.findByRole('dialog', { name: 'Меню' })).toBeTruthy();
});

test('the cross of the menu is where the burger was', async () => {
  serve(frame);
  const { user } = renderPart(<Shell>{null}</Shell>);
  const burger = screen.getByRole('button', { name: 'Открыть меню' });
  vi.spyOn(burger, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 36, 48, 48));
  await user.click(burger);
  expect(burger.getAttribute('aria-expanded')).toBe('true');
  const menu = within(await screen.findByRole('dialog', { name: 'Меню' })).getByRole('navigation');
  expect(menu.style.getPropertyValue('--burger')).toBe('36px');
  await user.click(within(menu).getByRole('button', { name: 'Закрыть меню' }));
  expect(burger.getAttribute('aria-expanded')).toBe('false');
});
