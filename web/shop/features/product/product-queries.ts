import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import { reading, readingPages } from '../../api/reading';

/** Products on a page of a list. */
export const pageSize = 24;
/** Products in a row that turns. */
const cardsShown = 12;

export type ProductFilter = {
  category?: string;
  /** Links of brands. */
  brands?: string[];
  /** By the price to pay; without it goods in stock come first, then the newest. */
  ordering?: 'price' | '-price';
};

export const productQueries = {
  all: () => ['product'] as const,
  /** A list from a page on; more pages are fetched one by one. */
  list: (filter: ProductFilter, firstPage: number) =>
    infiniteQueryOptions({
      queryKey: [...productQueries.all(), 'list', filter, firstPage],
      ...readingPages(
        '/api/products/',
        (page) => ({
          query: {
            category_id: filter.category,
            brand_id: filter.brands?.length ? filter.brands.join(',') : undefined,
            ordering: filter.ordering,
            limit: pageSize,
            brief: true,
            offset: (page - 1) * pageSize,
          },
        }),
        firstPage,
      ),
      getNextPageParam: (last, _pages, page) => (last.next ? page + 1 : undefined),
    }),
  popular: () =>
    queryOptions({
      queryKey: [...productQueries.all(), 'popular'],
      ...reading('/api/products/popular/', { query: { limit: cardsShown, brief: true } }),
    }),
  fresh: () =>
    queryOptions({
      queryKey: [...productQueries.all(), 'fresh'],
      ...reading('/api/products/', { query: { is_new: true, limit: cardsShown, brief: true } }),
    }),
  /** By identifier or link. */
  detail: (id: string) =>
    queryOptions({
      queryKey: [...productQueries.all(), 'detail', id],
      ...reading('/api/products/{id}/', { path: { id } }),
    }),
  /** What can be ordered now; merged into the product. */
  stock: (id: string) =>
    queryOptions({
      queryKey: [...productQueries.all(), 'stock', id],
      queryFn: ({ signal }) =>
        answer(api.GET('/api/products/{id}/stock/', { signal, params: { path: { id } } })),
      staleTime: 0,
    }),
  similar: (id: string) =>
    queryOptions({
      queryKey: [...productQueries.all(), 'similar', id],
      ...reading('/api/products/{id}/similar/', { path: { id }, query: { limit: cardsShown, brief: true } }),
    }),
};
