import type { ComponentType } from 'react';
import { Route, Routes } from '../../kit/router/router';
import type { Permission } from '../api/types';
import { RequirePermission, Screen } from '../app';
import { Frame } from '../frame';
import { Nothing } from '../parts/parts';
import { screen } from '../parts/screen';
import { appTexts } from '../texts/ru';
import { OnlyNow } from './desk/as-of';
import { Keys } from './keys';
import { useLive } from './live';
import { PaletteKey } from './palette/key';
import { parcelTexts } from './parcels/texts/ru';
import { teamTexts } from './staff/texts/ru';
import { officeTexts } from './texts/ru';
import { Today } from './today/today';

/** A screen of the office. One with a name is a way in the navigation, in the order of the list. */
type OfficeScreen = {
  path: string;
  Page: ComponentType;
  name?: () => string;
  needs?: Permission;
  group?: keyof typeof officeTexts.groups;
  /** It has no past: a moment in its address has no effect, and it says so. */
  onlyNow?: true;
};

const Orders = screen(() => import('./orders/orders'), 'Orders');
const OrderPage = screen(() => import('./orders/order'), 'OrderPage');
const PhoneOrder = screen(() => import('./phone/phone-order'), 'PhoneOrder');
const Payments = screen(() => import('./payments/payments'), 'Payments');
const Reconciliation = screen(() => import('./payments/reconciliation'), 'Reconciliation');
const Reviews = screen(() => import('./reviews/reviews'), 'Reviews');
const Templates = screen(() => import('./reviews/templates'), 'Templates');
const Customers = screen(() => import('./customers/customers'), 'Customers');
const CustomerPage = screen(() => import('./customers/customer'), 'CustomerPage');
const Promocodes = screen(() => import('./promocodes/promocodes'), 'Promocodes');
const PromocodePage = screen(() => import('./promocodes/promocode'), 'PromocodePage');
const NewPromocode = screen(() => import('./promocodes/new-promocode'), 'NewPromocode');
const Waiting = screen(() => import('./waiting/waiting'), 'Waiting');
const Letters = screen(() => import('./letters/letters'), 'Letters');
const Packing = screen(() => import('./parcels/packing'), 'Packing');
const Deliveries = screen(() => import('./parcels/deliveries'), 'Deliveries');
const Till = screen(() => import('./parcels/till'), 'Till');
const Stops = screen(() => import('./parcels/stops'), 'Stops');
const Changes = screen(() => import('./changes/changes'), 'Changes');
const Comparison = screen(() => import('./changes/comparison'), 'Comparison');
const ChangePreview = screen(() => import('./changes/preview'), 'ChangePreview');
const ChangePage = screen(() => import('./changes/change'), 'ChangePage');
const Notices = screen(() => import('./notices/notices'), 'Notices');
const Products = screen(() => import('./products/products'), 'Products');
const Settings = screen(() => import('./settings/settings'), 'SettingsPage');
const ProductPage = screen(() => import('./products/product'), 'ProductPage');
const NewProduct = screen(() => import('./products/new-product'), 'NewProduct');
const StockDesk = screen(() => import('./stock/stock'), 'StockDesk');
const Categories = screen(() => import('./groups/groups'), 'Categories');
const ContentDesk = screen(() => import('./content/content'), 'ContentDesk');
const ContentPage = screen(() => import('./content/content'), 'ContentPage');
const LetterPage = screen(() => import('./wording/wording'), 'LetterPage');
const Blog = screen(() => import('./content/blog'), 'Blog');
const BlogPost = screen(() => import('./content/blog'), 'BlogPost');
const Imports = screen(() => import('./imports/imports'), 'Imports');
const Brands = screen(() => import('./groups/groups'), 'Brands');
const Marks = screen(() => import('./groups/groups'), 'Marks');
const Team = screen(() => import('./staff/staff'), 'Team');

/** Every screen of the office. To add one: a folder beside the others, its component above, and its lines here. */
const screens: OfficeScreen[] = [
  { path: '/admin', Page: Today, name: () => officeTexts.today },

  {
    path: '/admin/orders',
    Page: Orders,
    name: () => officeTexts.orders,
    needs: 'orders.see',
    group: 'orders',
  },
  {
    path: '/admin/orders/new',
    Page: PhoneOrder,
    name: () => officeTexts.byPhone,
    needs: 'orders.change',
    group: 'orders',
    onlyNow: true,
  },
  { path: '/admin/orders/:number', Page: OrderPage, needs: 'orders.see' },

  {
    path: '/admin/packing',
    Page: Packing,
    name: () => parcelTexts.packing,
    needs: 'orders.pack',
    group: 'orders',
  },
  {
    path: '/admin/deliveries',
    Page: Deliveries,
    name: () => parcelTexts.deliveries,
    needs: 'orders.pack',
    group: 'orders',
  },
  { path: '/admin/deliveries/cash', Page: Till, needs: 'orders.pack' },
  {
    path: '/admin/stops',
    Page: Stops,
    name: () => parcelTexts.stops,
    needs: 'orders.deliver',
    group: 'orders',
    onlyNow: true,
  },

  {
    path: '/admin/payments',
    Page: Payments,
    name: () => officeTexts.payments,
    needs: 'payments.see',
    group: 'orders',
  },
  { path: '/admin/payments/reconciliation', Page: Reconciliation, needs: 'payments.see', onlyNow: true },

  {
    path: '/admin/customers',
    Page: Customers,
    name: () => officeTexts.customers,
    needs: 'customers.see',
    group: 'customers',
  },
  { path: '/admin/customers/:id', Page: CustomerPage, needs: 'customers.see' },
  {
    path: '/admin/reviews',
    Page: Reviews,
    name: () => officeTexts.reviews,
    needs: 'reviews.moderate',
    group: 'customers',
  },
  { path: '/admin/reviews/templates', Page: Templates, needs: 'reviews.moderate' },

  {
    path: '/admin/products',
    Page: Products,
    name: () => officeTexts.products,
    needs: 'catalog.see',
    group: 'goods',
  },
  { path: '/admin/products/new', Page: NewProduct, needs: 'catalog.change', onlyNow: true },
  { path: '/admin/products/:article', Page: ProductPage, needs: 'catalog.see' },
  {
    path: '/admin/categories',
    Page: Categories,
    name: () => officeTexts.categories,
    needs: 'catalog.see',
    group: 'goods',
  },
  {
    path: '/admin/brands',
    Page: Brands,
    name: () => officeTexts.brands,
    needs: 'catalog.see',
    group: 'goods',
  },
  { path: '/admin/marks', Page: Marks, name: () => officeTexts.marks, needs: 'catalog.see', group: 'goods' },
  {
    path: '/admin/imports',
    Page: Imports,
    name: () => officeTexts.imports,
    needs: 'catalog.change',
    group: 'goods',
    onlyNow: true,
  },
  {
    path: '/admin/stock',
    Page: StockDesk,
    name: () => officeTexts.stock,
    needs: 'catalog.see',
    group: 'goods',
  },
  {
    path: '/admin/waiting',
    Page: Waiting,
    name: () => officeTexts.waiting,
    needs: 'catalog.see',
    group: 'customers',
  },

  {
    path: '/admin/promocodes',
    Page: Promocodes,
    name: () => officeTexts.promocodes,
    needs: 'rules.change',
    group: 'shop',
  },
  { path: '/admin/promocodes/new', Page: NewPromocode, needs: 'rules.change', onlyNow: true },
  { path: '/admin/promocodes/:code', Page: PromocodePage, needs: 'rules.change' },

  { path: '/admin/letters', Page: Letters, needs: 'orders.change', onlyNow: true },

  {
    path: '/admin/content',
    Page: ContentDesk,
    name: () => officeTexts.content,
    needs: 'content.change',
    group: 'shop',
  },
  { path: '/admin/content/:name', Page: ContentPage, needs: 'content.change' },
  { path: '/admin/content/letters/:kind', Page: LetterPage, needs: 'content.change' },
  { path: '/admin/blog', Page: Blog, name: () => officeTexts.blog, needs: 'content.change', group: 'shop' },
  { path: '/admin/blog/:id', Page: BlogPost, needs: 'content.change' },

  {
    path: '/admin/changes',
    Page: Changes,
    name: () => officeTexts.changes,
    needs: 'changes.see',
    group: 'settings',
  },
  { path: '/admin/changes/difference', Page: Comparison, needs: 'audit.see', onlyNow: true },
  { path: '/admin/changes/:id', Page: ChangePage, needs: 'changes.see' },
  { path: '/admin/changes/:id/preview', Page: ChangePreview, needs: 'changes.see', onlyNow: true },

  {
    path: '/admin/notices',
    Page: Notices,
    name: () => officeTexts.notices,
    group: 'settings',
    onlyNow: true,
  },

  {
    path: '/admin/settings',
    Page: Settings,
    name: () => officeTexts.settings,
    needs: 'rules.change',
    group: 'settings',
  },
  {
    path: '/admin/staff',
    Page: Team,
    name: () => teamTexts.title,
    needs: 'staff.manage',
    group: 'settings',
    onlyNow: true,
  },
];

const ways = screens.flatMap(({ path, name, needs, group }) =>
  name ? [{ to: path, name, needs, ...(group ? { group: () => officeTexts.groups[group] } : {}) }] : [],
);

/** The shop as its staff run it. */
export function Office() {
  useLive();
  return (
    <Frame ways={ways}>
      <Keys />
      <PaletteKey ways={ways} />
      <Screen>
        <Routes>
          {screens.map(({ path, Page, needs, onlyNow }) => {
            const page = (
              <>
                {onlyNow ? <OnlyNow /> : null}
                <Page />
              </>
            );
            return (
              <Route
                key={path}
                path={path}
                element={needs ? <RequirePermission permission={needs}>{page}</RequirePermission> : page}
              />
            );
          })}
          <Route path="*" element={<Nothing title={appTexts.noScreen}>{appTexts.chooseAbove}</Nothing>} />
        </Routes>
      </Screen>
    </Frame>
  );
}
