import { queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { asked } from '../desk/as-of';
import type { ProductRow } from '../products/queries';
import type { Line } from './lines';

export type Ledger = components['schemas']['Ledger'];

/** The product that a scanned code is on; undefined when no product has it. */
export async function productOf(code: string): Promise<ProductRow | undefined> {
  const { results } = await answer(
    api.GET('/api/staff/products/', { params: { query: { code, limit: 2 } } }),
  );
  return results.find(({ archived }) => !archived) ?? results[0];
}

export const stockQueries = {
  ledger: (product: string, at = '') =>
    queryOptions({
      queryKey: ['office', 'ledger', product, at],
      queryFn: ({ signal }) =>
        answer(
          api.GET('/api/staff/stock/{product}/ledger/', {
            params: { path: { product }, query: { limit: 50, ...asked(at) } },
            signal,
          }),
        ),
    }),
};

export const receive = (id: string, title: string, note: string, lines: Line[]) =>
  answer(
    api.POST('/api/staff/stock/receipts/', {
      body: { id, title, note, lines: lines.map(({ row, quantity }) => ({ product: row.id, quantity })) },
    }),
  );
