import { screen } from '@testing-library/react';
import { useLayoutEffect } from 'react';
import { expect, test } from 'vitest';
import { serve } from '../../kit/testing/server';
import { recorded } from '../testing/answers';
import { renderPart } from '../testing/render';
import { Shell } from './shell';

/** A shopper who presses as soon as the page hears it, before anything else that a page does once it is there. */
function Hasty() {
  useLayoutEffect(() => screen.getByRole('button', { name: 'Открыть меню' }).click(), []);
  return null;
}

test('the menu stays open for who opened it in the first moment', async () => {
  serve({
    'GET /api/rules/': recorded.rules,
    'GET /api/shop/': recorded.shop,
    'GET /api/categories/': recorded.categories,
  });
  renderPart(
    <Shell>
      <Hasty />
    </Shell>,
  );
  expect(await screen.findByRole('dialog', { name: 'Меню' })).toBeTruthy();
});
