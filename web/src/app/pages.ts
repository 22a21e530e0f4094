import type { ComponentType } from 'react';
import { matchPath } from 'react-router';

export type PageModule = { default: ComponentType };

/** Every address of the shop and the chunk that draws it. Any other address is the not-found page. */
export const pages: { path: string; load: () => Promise<PageModule> }[] = [
  { path: '/', load: () => import('../routes/home') },
  { path: '/categories/:id?', load: () => import('../routes/categories') },
  { path: '/category/:id', load: () => import('../routes/category') },
  { path: '/product/:id', load: () => import('../routes/product') },
  { path: '/brands', load: () => import('../routes/brands') },
  { path: '/brands/:id', load: () => import('../routes/brand') },
  { path: '/basket', load: () => import('../routes/basket') },
  { path: '/checkout', load: () => import('../routes/checkout') },
  { path: '/login', load: () => import('../routes/login') },
  { path: '/registration', load: () => import('../routes/registration') },
  { path: '/reset-password', load: () => import('../routes/reset-password') },
  { path: '/verify-email', load: () => import('../routes/verify-email') },
  { path: '/cancel-email', load: () => import('../routes/cancel-email') },
  { path: '/take-back-email', load: () => import('../routes/take-back-email') },
  { path: '/account/info', load: () => import('../routes/account-info') },
  { path: '/account/bonuses', load: () => import('../routes/account-bonuses') },
  { path: '/account/orders', load: () => import('../routes/account-orders') },
  { path: '/account/waiting', load: () => import('../routes/account-waiting') },
  { path: '/account/order/:id', load: () => import('../routes/account-order') },
  { path: '/order/:id', load: () => import('../routes/order') },
  { path: '/about', load: () => import('../routes/about') },
  { path: '/news', load: () => import('../routes/news') },
  { path: '/news/:id', load: () => import('../routes/post') },
  { path: '/dostavka-i-skidki', load: () => import('../routes/delivery') },
];

/** The page of an address; undefined when there is none. */
export const pageOf = (pathname: string) => pages.find((page) => matchPath(page.path, pathname));
