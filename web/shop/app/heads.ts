import { head as brand } from '../routes/brand.head';
import { head as category } from '../routes/category.head';
import { head as document } from '../routes/document.head';
import { fixed, type Head, type HeadOf, own } from '../routes/head';
import { head as home } from '../routes/home.head';
import { head as news } from '../routes/news.head';
import { head as post } from '../routes/post.head';
import { head as product } from '../routes/product.head';
import { accountTexts } from '../texts/account';
import { basketTexts } from '../texts/basket';
import { brandsTexts } from '../texts/brand';
import { categoriesTexts } from '../texts/categories';
import { checkoutTexts } from '../texts/checkout';
import { aboutTexts, deliveryTexts } from '../texts/content';
import { forgetTexts } from '../texts/forget';
import { orderTexts } from '../texts/order';
import {
  cancelEmailTexts,
  loginTexts,
  newPasswordTexts,
  registrationTexts,
  resetTexts,
  takeBackTexts,
  verifyTexts,
} from '../texts/session';
import { notFoundTexts } from '../texts/shell';
import type { PageName } from './pages';

const categories = fixed(
  () => categoriesTexts.title,
  () => categoriesTexts.description,
);

/** The head of every page. Only the server needs them: in the browser Title follows the shopper. */
export const heads: Record<PageName, HeadOf> = {
  home,
  categories: (from) => (from.params.id ? category(from) : categories(from)),
  category,
  product,
  brands: fixed(
    () => brandsTexts.title,
    () => brandsTexts.description,
  ),
  brand,
  basket: own(() => basketTexts.title),
  checkout: own(() => checkoutTexts.kicker),
  login: own(() => loginTexts.title),
  registration: own(() => registrationTexts.title),
  'reset-password': own(() => resetTexts.title),
  'verify-email': own(() => verifyTexts.title),
  'cancel-email': own(() => cancelEmailTexts.title),
  'take-back-email': own(() => takeBackTexts.title),
  'new-password': own(() => newPasswordTexts.title),
  'account-info': own(() => accountTexts.info),
  'account-bonuses': own(() => accountTexts.bonuses),
  'account-orders': own(() => accountTexts.orders),
  'account-waiting': own(() => accountTexts.waiting),
  'account-security': own(() => accountTexts.security),
  'account-order': own(() => orderTexts.title),
  order: own(() => orderTexts.title),
  'forget-order': own(() => forgetTexts.title),
  'forget-review': own(() => forgetTexts.title),
  about: fixed(
    () => aboutTexts.title,
    () => aboutTexts.lead,
  ),
  news,
  post,
  document,
  delivery: fixed(
    () => deliveryTexts.title,
    () => deliveryTexts.description,
  ),
};

export const notFoundHead = (): Head => ({ title: notFoundTexts.title, private: true });
