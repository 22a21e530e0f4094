import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { OrderStatus } from './order-status';

test.each([
  ['RECEIVED', 'Заказ получен'],
  ['APPROVED', 'Заказ подтвержден'],
  ['PROCESSING', 'Заказ подтвержден'],
  ['PAYMENT_ERR', 'Ошибка оплаты'],
  ['COMPLETED', 'Заказ завершен'],
  ['CANCELLED', 'Заказ отменен'],
  ['REFUNDED', 'Возврат оформлен'],
] as const)('%s is said as %s, and styled by itself', (status, said) => {
  render(<OrderStatus status={status} />);
  expect(screen.getByText(said).dataset.status).toBe(status);
});
