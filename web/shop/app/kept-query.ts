import { pageOfAddress } from '../design/page-of-address';
import { listOfAddress } from '../features/category/category-address';
import type { PageName } from './pages';

/** Parameters by name; undefined means the same as leaving the parameter out. */
type Query = Record<string, string | undefined>;

const pageQuery = (search: string): Query => {
  const page = pageOfAddress(search);
  return { page: page > 1 ? String(page) : undefined };
};

/** The query parameters that change each page, in one spelling. All others are ignored. */
const queries: Partial<Record<PageName, (search: string) => Query>> = {
  category: (search) => {
    const { brands, ordering } = listOfAddress(search);
    return { brand: brands.join(',') || undefined, ordering, ...pageQuery(search) };
  },
  news: pageQuery,
};

/** The address under which the server caches a page. */
export function keptAddress(name: PageName | undefined, pathname: string, search: string): string {
  const said = Object.entries((name && queries[name]?.(search)) ?? {}).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return said.length > 0 ? `${pathname}?${new URLSearchParams(said)}` : pathname;
}

/** The names of the parameters that a page reads. */
export const namesRead = (name: PageName): string[] => Object.keys(queries[name]?.('') ?? {});
