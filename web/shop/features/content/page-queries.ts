import { queryOptions } from '@tanstack/react-query';
import { reading } from '../../api/reading';

export const pageQueries = {
  /** A text that shoppers agree to; an empty version is the one in force. */
  document: (name: string, version: string) =>
    queryOptions({
      queryKey: ['content', 'document', name, version],
      ...reading('/api/documents/{name}/', {
        path: { name: name as 'offer' },
        ...(version ? { query: { version } } : {}),
      }),
      staleTime: 5 * 60_000,
    }),
  /** The texts that staff write of the home page. */
  home: () =>
    queryOptions({
      queryKey: ['content', 'home'],
      ...reading('/api/content/home/'),
      staleTime: 5 * 60_000,
    }),
  /** The text of a page that staff write. */
  text: (name: string) =>
    queryOptions({
      queryKey: ['content', 'page', name],
      ...reading('/api/content/pages/{name}/', { path: { name } }),
      staleTime: 5 * 60_000,
    }),
};
