import type { QueryClient } from '@tanstack/react-query';
import type { Variants } from '../api/types';
import { shopName } from '../features/content/shop-name';

/** The address of a page: the parameters of its path, decoded, and its query. */
export type Address = { params: Record<string, string | undefined>; search: string };

/** A thing in the words of schema.org. */
export type Fact = { '@type': string; [property: string]: unknown };

/** A picture that the browser fetches before it comes to it. */
export type Preload = { type: string; srcset: string; sizes: string; media?: string };

/** What a page says about itself to search engines and to those it is shared with. */
export type Head = {
  title: string;
  description?: string;
  /** The one address of the page, with what its query changes. */
  path?: string;
  picture?: Pick<Variants, 'src'> & Partial<Variants>;
  /** Open Graph's; without it a website. */
  kind?: 'product' | 'article';
  /** Not for search engines. */
  private?: true;
  facts?: Fact[];
  preloads?: Preload[];
};

/** What the answers make of an address: a head, the one address that it is another spelling of, or nothing. */
export type Outcome = Head | { moved: string } | { missing: true };

/** What a page's head is made of. */
export type HeadFrom = Address & {
  /** The path as it was asked for, and the shop's origin. */
  path: string;
  origin: string;
  /** The answer to a query of the page that is for its head (asks.ts). */
  read: QueryClient['getQueryData'];
};

export type HeadOf = (from: HeadFrom) => Outcome;

/** A page's title with the shop's name. */
export const titled = (title: string) => `${title} — ${shopName()}`;

/** The head of a page without a subject. */
export const fixed =
  (title: () => string, description: () => string): HeadOf =>
  ({ path }) => ({ title: titled(title()), description: description(), path });

/** The head of a page that is a shopper's own. */
export const own =
  (title: () => string): HeadOf =>
  () => ({ title: titled(title()), private: true });

/** An address that others can follow. */
export const absolute = (origin: string, address: string) =>
  address.startsWith('/') ? origin + address : address;

/** Where a page stands: the pages on the way to it, and itself, as the catalog names them: in Russian. */
export const trail = (origin: string, steps: { name: string; path: string }[]): Fact => ({
  '@type': 'BreadcrumbList',
  itemListElement: steps.map(({ name, path }, at) => ({
    '@type': 'ListItem',
    position: at + 1,
    name,
    item: origin + path,
  })),
});

/** The best variant of a picture, to be fetched beforehand. */
export const preloadOf = (picture: Variants | null | undefined, sizes: string): Preload[] =>
  picture?.sources.slice(0, 1).map(({ type, srcset }) => ({ type, srcset, sizes })) ?? [];

/** The picture that stands for a page: in variants, else the first address that there is. */
export function pictureOf(picture: Variants | null | undefined, ...addresses: (string | null | undefined)[]) {
  if (picture?.src) return picture;
  const src = addresses.find(Boolean);
  return src ? { ...picture, src } : undefined;
}
