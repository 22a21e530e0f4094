import { pageOfAddress } from '../design/page-of-address';
import { listOfAddress } from '../features/category/category-address';
import type { PageName } from './pages';

/** Names with what they say; undefined: nothing that differs from the name left out. */
type Query = Record<string, string | undefined>;

const pageQuery = (search: string): Query => {
  const page = pageOfAddress(search);
  return { page: page > 1 ? String(page) : undefined };
};

/** What of the query changes a page, spelt in one way. Nothing does unless it is said here. */
const queries: Partial<Record<PageName, (search: string) => Query>> = {
  category: (search) => {
    const { brands, ordering } = listOfAddress(search);
    return { brand: brands.join(',') || undefined, ordering, ...pageQuery(search) };
  },
  news: pageQuery,
};

/** The address that the server keeps a page under. */
export function keptAddress(name: PageName | undefined, pathname: string, search: string): string {
  const said = Object.entries((name && queries[name]?.(search)) ?? {}).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return said.length > 0 ? `${pathname}?${new URLSearchParams(said)}` : pathname;
}

/** The names that a page reads of a query. */
export const namesRead = (name: PageName): string[] => Object.keys(queries[name]?.('') ?? {});
