import { infiniteQueryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import { productQueries } from '../product/product-queries';

/** As the server calls them: the newest first, or those with photographs before the others. */
export type ReviewOrder = 'new' | 'with_photo';

/** Reviews fetched at once. */
const pageSize = 24;

export const reviewQueries = {
  /** The shown reviews of a product behind the first so many, page by page. */
  ofProduct: (product: string, order: ReviewOrder, behind: number) =>
    infiniteQueryOptions({
      queryKey: [...productQueries.all(), 'reviews', product, order, behind],
      queryFn: ({ signal, pageParam }) =>
        answer(
          api.GET('/api/products/{id}/reviews/', {
            signal,
            params: { path: { id: product }, query: { ordering: order, limit: pageSize, offset: pageParam } },
          }),
        ),
      initialPageParam: behind,
      getNextPageParam: (last, _pages, offset) => (last.next ? offset + pageSize : undefined),
    }),
};
