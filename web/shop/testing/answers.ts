import bonuses from '../../../readapi/testdata/bonuses.json';
import brand from '../../../readapi/testdata/brand.json';
import brands from '../../../readapi/testdata/brands.json';
import categories from '../../../readapi/testdata/categories.json';
import home from '../../../readapi/testdata/content-home.json';
import documentFirst from '../../../readapi/testdata/document-first.json';
import documentOffer from '../../../readapi/testdata/document-offer.json';
import geonames from '../../../readapi/testdata/geonames.json';
import order from '../../../readapi/testdata/order.json';
import orders from '../../../readapi/testdata/orders.json';
import pageAbout from '../../../readapi/testdata/page-about.json';
import pageDelivery from '../../../readapi/testdata/page-delivery.json';
import post from '../../../readapi/testdata/post.json';
import posts from '../../../readapi/testdata/posts.json';
import product from '../../../readapi/testdata/product.json';
import reviews from '../../../readapi/testdata/product-reviews.json';
import reviewsWithPhoto from '../../../readapi/testdata/product-reviews-with-photo.json';
import products from '../../../readapi/testdata/products.json';
import profile from '../../../readapi/testdata/profile.json';
import promocode from '../../../readapi/testdata/promocode.json';
import rules from '../../../readapi/testdata/rules.json';
import shop from '../../../readapi/testdata/shop.json';
import type {
  Bonuses,
  Brand,
  Calculation,
  Category,
  Document,
  HomeTexts,
  Order,
  OrderDetail,
  PageText,
  Post,
  PostPage,
  Product,
  ProductCard,
  ProductPage,
  Profile,
  ReviewPage,
  Rules,
  Shop,
} from '../api/types';

/** Answers of the real server, recorded by its own contract tests. */
export const recorded = {
  bonuses: bonuses as Bonuses,
  pageAbout: pageAbout as PageText,
  home: home as HomeTexts,
  documentFirst: documentFirst as Document,
  documentOffer: documentOffer as Document,
  pageDelivery: pageDelivery as PageText,
  brand: brand,
  brands: brands as Brand[],
  categories: categories as Category[],
  geonames,
  order: order as OrderDetail,
  orders: orders as Order[],
  post: post as Post,
  posts: posts as PostPage,
  profile: profile as Profile,
  product: product as Product,
  products: products as ProductPage,
  promocode,
  reviews: reviews as ReviewPage,
  reviewsWithPhoto: reviewsWithPhoto as ReviewPage,
  rules: rules as Rules,
  shop: shop as Shop,
};

/** A recorded card with some facts changed. */
export const cardWith = (facts: Partial<ProductCard>): ProductCard => ({
  ...(recorded.products.results[0] as ProductCard),
  ...facts,
});

/** A calculation of goods for so much, delivered nowhere yet. */
export const calculationWith = (facts: Partial<Calculation> = {}): Calculation => ({
  total_sum: 15980,
  order_discount: 0,
  discounted_sum: 15980,
  is_delivery_calculated: false,
  delivery_price: 0,
  bonus_spent: 0,
  total_paid: 15980,
  payable_now: 15980,
  payable_on_delivery: 0,
  can_create_order: true,
  reason: null,
  missing_sum: 0,
  promocode_error: null,
  rules_version: 1,
  explanation: [
    { code: 'list_price', label: 'Товары', amount: 18980 },
    { code: 'product_discount', label: 'Скидки на товары', amount: -3000 },
  ],
  ...facts,
});
