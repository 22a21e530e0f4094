import { queryOptions } from '@tanstack/react-query';
import { reading } from '../../api/reading';

export const pageQueries = {
  /** The text of a page or a document that staff write. */
  text: (name: string) =>
    queryOptions({
      queryKey: ['content', 'page', name],
      ...reading('/api/content/pages/{name}/', { path: { name } }),
      staleTime: 5 * 60_000,
    }),
};
