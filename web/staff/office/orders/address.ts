import type { OrderSearch, OrderStatus } from '../api/queries';

/** How many orders a page of the list has. */
export const page = 50;

/** The statuses of orders that somebody still has to do something for. */
export const atWork: OrderStatus[] = ['RECEIVED', 'APPROVED', 'PROCESSING', 'PAYMENT_ERR'];

/** What the filters in an address ask for. Whom is searched for stands in no address: it travels apart, in `query`. */
export function searchOf(address: URLSearchParams, query: string, me: string): OrderSearch {
  const text = (name: string) => address.get(name) ?? '';
  const status = text('status');
  const paid = text('paid');
  return {
    query,
    statuses: status === 'work' ? atWork : status ? [status as OrderStatus] : [],
    paid: paid ? paid === 'yes' : null,
    payment_method: text('payment') as OrderSearch['payment_method'],
    delivery_type: text('delivery') as OrderSearch['delivery_type'],
    city: text('city'),
    day_from: text('day'),
    day_to: text('day'),
    placed_from: text('from'),
    placed_to: text('to'),
    tag: text('tag'),
    ...(text('mine') ? { assigned_to: me } : {}),
    owing: text('owing') === 'yes',
    sort: text('sort') as OrderSearch['sort'],
    limit: page,
    offset: Math.max(0, Number(text('offset')) || 0),
  };
}
