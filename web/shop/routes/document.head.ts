import { pageQueries } from '../features/content/page-queries';
import { documentIn } from '../features/content/page-text';
import { documentTexts } from '../texts/content';
import { type HeadOf, titled } from './head';

/** A former version is not for search engines. */
export const head: HeadOf = ({ params: { id = '' }, search, read }) => {
  const version = new URLSearchParams(search).get('version') ?? '';
  const found = read(pageQueries.document(id, version).queryKey);
  if (!found) return { missing: true };
  const { title } = documentIn(found);
  return {
    title: titled(title),
    description: documentTexts.description(title),
    path: `/documents/${found.name}`,
    ...(found.current ? {} : { private: true as const }),
  };
};
