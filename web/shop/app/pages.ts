import type { ComponentType } from 'react';
import { matchPath } from '../../kit/router/router';

export type PageModule = { default: ComponentType };

export type Page = {
  /** The page's module in routes. */
  name: string;
  path: string;
  load: () => Promise<PageModule>;
  /** The page is a shopper's own: the same for every id, nothing search engines find, nothing a browser keeps. */
  own?: true;
  /** Its script is kept for when there is no network, as that of a page for everybody is. */
  offline?: true;
};

/**
 * Every address of the shop and the module that draws it. Any other address is the not-found page. What a page asks
 * stands in asks.ts, what it says of itself in heads.ts; the server and the service worker read this list as the build
 * writes it (scripts/pages.mjs).
 */
const list = [
  { name: 'home', path: '/', load: () => import('../routes/home') },
  { name: 'categories', path: '/categories/:id?', load: () => import('../routes/categories') },
  { name: 'category', path: '/category/:id', load: () => import('../routes/category') },
  { name: 'product', path: '/product/:id', load: () => import('../routes/product') },
  { name: 'brands', path: '/brands', load: () => import('../routes/brands') },
  { name: 'brand', path: '/brands/:id', load: () => import('../routes/brand') },
  { name: 'basket', path: '/basket', load: () => import('../routes/basket'), own: true, offline: true },
  { name: 'checkout', path: '/checkout', load: () => import('../routes/checkout'), own: true },
  { name: 'login', path: '/login', load: () => import('../routes/login'), own: true },
  { name: 'registration', path: '/registration', load: () => import('../routes/registration'), own: true },
  {
    name: 'reset-password',
    path: '/reset-password',
    load: () => import('../routes/reset-password'),
    own: true,
  },
  { name: 'verify-email', path: '/verify-email', load: () => import('../routes/verify-email'), own: true },
  { name: 'cancel-email', path: '/cancel-email', load: () => import('../routes/cancel-email'), own: true },
  {
    name: 'take-back-email',
    path: '/take-back-email',
    load: () => import('../routes/take-back-email'),
    own: true,
  },
  { name: 'new-password', path: '/new-password', load: () => import('../routes/new-password'), own: true },
  { name: 'account-info', path: '/account/info', load: () => import('../routes/account-info'), own: true },
  {
    name: 'account-bonuses',
    path: '/account/bonuses',
    load: () => import('../routes/account-bonuses'),
    own: true,
  },
  {
    name: 'account-orders',
    path: '/account/orders',
    load: () => import('../routes/account-orders'),
    own: true,
  },
  {
    name: 'account-waiting',
    path: '/account/waiting',
    load: () => import('../routes/account-waiting'),
    own: true,
  },
  {
    name: 'account-security',
    path: '/account/security',
    load: () => import('../routes/account-security'),
    own: true,
  },
  {
    name: 'account-order',
    path: '/account/order/:id',
    load: () => import('../routes/account-order'),
    own: true,
  },
  { name: 'order', path: '/order/:id', load: () => import('../routes/order'), own: true },
  {
    name: 'forget-order',
    path: '/forget/order/:id',
    load: () => import('../routes/forget-order'),
    own: true,
  },
  {
    name: 'forget-review',
    path: '/forget/review/:id',
    load: () => import('../routes/forget-review'),
    own: true,
  },
  { name: 'about', path: '/about', load: () => import('../routes/about') },
  { name: 'news', path: '/news', load: () => import('../routes/news') },
  { name: 'post', path: '/news/:id', load: () => import('../routes/post') },
  { name: 'document', path: '/documents/:id', load: () => import('../routes/document') },
  { name: 'delivery', path: '/dostavka-i-skidki', load: () => import('../routes/delivery') },
] as const satisfies Page[];

export type PageName = (typeof list)[number]['name'];

export type Listed = Page & { name: PageName };

export const pages: readonly Listed[] = list;

/** The page of an address; undefined when there is none. */
export const pageOf = (pathname: string) => pages.find((page) => matchPath(page.path, pathname));
