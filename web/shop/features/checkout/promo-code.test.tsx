import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../../kit/testing/server';
import { renderPart } from '../../testing/render';
import { PromoCode } from './promo-code';

test('what the pricing says about a code is in the language of the server', async () => {
  const code = { code: 'SPRING', kind: 'PERCENT', value: 10, min_sum: 9000, valid_until: null };
  serve({ 'GET /api/promocodes/SPRING/': code });
  const refusal = 'Промокод действует от 9 000 ₸';
  renderPart(<PromoCode value="SPRING" onValue={() => {}} onCode={() => {}} refusal={refusal} />);
  expect((await screen.findByText(refusal, {}, { timeout: 3000 })).lang).toBe('ru');
});
