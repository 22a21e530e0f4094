import { Mark, type Tone } from '../../parts/mark';
import type { OrderStatus } from '../api/queries';
import { officeTexts } from '../texts/ru';

const tones: Record<OrderStatus, Tone> = {
  RECEIVED: 'new',
  APPROVED: 'way',
  PROCESSING: 'way',
  PAYMENT_ERR: 'bad',
  COMPLETED: 'good',
  CANCELLED: 'rest',
  REFUNDED: 'rest',
};

/** How far an order is. */
export const Status = ({ status }: { status: OrderStatus }) => (
  <Mark tone={tones[status]}>{officeTexts.statuses[status]}</Mark>
);
