import type { QueryKey } from '@tanstack/react-query';
import { matchPath } from '../../kit/router/router';
import { pageOfAddress } from '../design/page-of-address';
import { brandQueries } from '../features/brand/brand-queries';
import { listOfAddress } from '../features/category/category-address';
import { categoryQueries } from '../features/category/category-queries';
import { contentQueries } from '../features/content/content-queries';
import { pageQueries } from '../features/content/page-queries';
import { postQueries } from '../features/post/post-queries';
import { productQueries } from '../features/product/product-queries';
import type { Address } from '../routes/head';
import type { Listed, Page, PageName } from './pages';

/** A query that a page asks before its first paint; its meta is the call that answers it (`reading`). */
export type Ask = { queryKey: QueryKey; meta?: Record<string, unknown> };

type Asks = (address: Address) => Ask[];

/** What the head of the page is made of (heads.ts). */
const forHead = (ask: Ask): Ask => ({ ...ask, meta: { ...ask.meta, forHead: true } });

/** The subject of the page and of its head: without its answer the page is a 404. */
const subject = (ask: Ask): Ask => forHead({ ...ask, meta: { ...ask.meta, subject: true } });

/** The queries that each page's first paint shows, without the frame's. Personal data are fetched by the browser. */
const asks: Partial<Record<PageName, Asks>> = {
  home: () => [
    productQueries.popular(),
    productQueries.fresh(),
    contentQueries.block('main-slider'),
    pageQueries.home(),
    brandQueries.list(),
  ],
  categories: ({ params: { id } }) => [
    brandQueries.list(id),
    id ? subject(categoryQueries.tree()) : categoryQueries.tree(),
  ],
  category: ({ params: { id = '' }, search }) => {
    const { page, ...filter } = listOfAddress(search);
    return [
      productQueries.list({ category: id, ...filter }, page),
      brandQueries.list(id),
      subject(categoryQueries.tree()),
    ];
  },
  product: ({ params: { id = '' } }) => [subject(productQueries.detail(id)), productQueries.similar(id)],
  about: () => [pageQueries.text('about')],
  document: ({ params: { id = '' }, search }) => [
    subject(pageQueries.document(id, new URLSearchParams(search).get('version') ?? '')),
  ],
  delivery: () => [pageQueries.text('delivery')],
  brands: () => [brandQueries.list()],
  brand: ({ params: { id = '' } }) => [subject(brandQueries.detail(id))],
  news: ({ search }) => [postQueries.list(pageOfAddress(search))],
  checkout: () => [contentQueries.block('discount-text')],
  post: ({ params: { id = '' } }) => [subject(postQueries.detail(id))],
};

/** The queries of the frame around every page. */
const around = (): Ask[] => [categoryQueries.tree(), contentQueries.rules(), forHead(contentQueries.shop())];

/** All queries of the first paint at an address, each once, the page's own first. */
export function asksAt(page: Listed | undefined, pathname: string, search: string): Ask[] {
  const own = (page && asks[page.name]?.(addressOf(page, pathname, search))) ?? [];
  const keys = new Set(own.map(({ queryKey }) => JSON.stringify(queryKey)));
  return [...own, ...around().filter(({ queryKey }) => !keys.has(JSON.stringify(queryKey)))];
}

/** The parameters in the address of a page. */
export function addressOf(page: Page, pathname: string, search: string): Address {
  const params = matchPath(page.path, pathname)?.params ?? {};
  return {
    params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value && decode(value)])),
    search,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
