import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { cardWith, recorded } from '../../testing/answers';
import { renderAt } from '../../testing/render';
import { serve } from '../../testing/server';
import { basket } from '../basket/basket-store';
import { loadDraft, saveDraft } from '../checkout/checkout-draft';
import { emptyForm } from '../checkout/checkout-schema';
import PaymentPopups from './payment-popups';

test('success empties the basket and the form and goes away for good', async () => {
  serve({ 'GET /api/shop/': recorded.shop });
  basket.add(cardWith({ id: 'soap' }));
  saveDraft({ ...emptyForm, customer_first_name: 'Айгерим' });
  const { user } = renderAt('/#success_popup', '/', <PaymentPopups />);
  expect(screen.getByRole('dialog', { name: 'Все прошло хорошо.' }).textContent).toContain(
    'Спасибо! Мы получили Ваш заказ. Мы его уже собираем.',
  );
  expect(basket.lines()).toEqual([]);
  expect(loadDraft(emptyForm)).toEqual(emptyForm);
  await user.click(screen.getByRole('button', { name: 'Продолжить покупки' }));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a failed payment keeps the basket and says how to go on', async () => {
  serve({ 'GET /api/shop/': recorded.shop });
  basket.add(cardWith({ id: 'soap' }));
  renderAt('/#error_popup', '/', <PaymentPopups />);
  expect(screen.getByRole('dialog', { name: 'Что-то пошло не так' })).toBeTruthy();
  expect((await screen.findByRole('link', { name: recorded.shop.email })).getAttribute('href')).toBe(
    `mailto:${recorded.shop.email}`,
  );
  expect(screen.getByRole('link', { name: 'Вернуться к оплате' }).getAttribute('href')).toBe('/checkout');
  expect(basket.lines()).toHaveLength(1);
});

test('other hashes show nothing', () => {
  serve({});
  renderAt('/#advantages', '/', <PaymentPopups />);
  expect(screen.queryByRole('dialog')).toBeNull();
});
