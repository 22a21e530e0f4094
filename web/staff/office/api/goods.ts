import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { shopApi } from '../../api/client';

/** The goods that a name or an article finds, for an order that staff take or change. */
export const goods = (query: string) =>
  queryOptions({
    queryKey: ['office', 'goods', query],
    queryFn: ({ signal }) =>
      answer(
        shopApi.GET('/api/products/', {
          params: { query: { search: query, limit: 8, brief: true } },
          signal,
        }),
      ),
    enabled: query.length > 1,
    placeholderData: keepPreviousData,
  });
