import { useEffect } from 'react';
import { Route, Routes } from '../../kit/router/router';
import { RequirePermission, Screen } from '../app';
import { Frame, type Way } from '../frame';
import { Head, Nothing } from '../parts/parts';
import { screen } from '../parts/screen';
import { appTexts } from '../texts/ru';
import { Overview } from './overview/overview';
import { screenTexts } from './texts/ru';

const parts = {
  orders: () => import('./orders/list'),
  order: () => import('./orders/orders'),
  products: () => import('./products/products'),
  product: () => import('./products/product'),
  baskets: () => import('./baskets/baskets'),
  rules: () => import('./rules/rules'),
  trials: () => import('./whatif/trials'),
  trial: () => import('./whatif/trial'),
  funnel: () => import('./funnel/funnel'),
  reports: () => import('./reports/reports'),
  report: () => import('./reports/report'),
  takeAway: () => import('./takeaway/take-away'),
};
const Orders = screen(parts.orders, 'Orders');
const OrderPage = screen(parts.order, 'OrderPage');
const Products = screen(parts.products, 'Products');
const ProductPage = screen(parts.product, 'ProductPage');
const Baskets = screen(parts.baskets, 'Baskets');
const BasketPage = screen(parts.baskets, 'BasketPage');
const Rules = screen(parts.rules, 'Rules');
const Trials = screen(parts.trials, 'Trials');
const TrialPage = screen(parts.trial, 'TrialPage');
const Funnel = screen(parts.funnel, 'Funnel');
const Reports = screen(parts.reports, 'Reports');
const ReportPage = screen(parts.report, 'ReportPage');
const TakeAway = screen(parts.takeAway, 'TakeAway');

const needs = 'reports.see';

const ways: Way[] = [
  { to: '/analytics', name: () => screenTexts.overview, needs },
  { to: '/analytics/orders', name: () => screenTexts.orders, needs },
  { to: '/analytics/products', name: () => screenTexts.products, needs },
  { to: '/analytics/baskets', name: () => screenTexts.baskets, needs },
  { to: '/analytics/rules', name: () => screenTexts.rules, needs },
  { to: '/analytics/what-if', name: () => screenTexts.whatIf, needs },
  { to: '/analytics/funnel', name: () => screenTexts.funnel, needs },
  { to: '/analytics/reports', name: () => screenTexts.reports, needs },
  { to: '/analytics/take-away', name: () => screenTexts.takeAway, needs },
];

/** The past of the shop: what happened, why it cost what it cost, and what would have been. */
export function Analytics() {
  return (
    <Frame ways={ways}>
      <Screen>
        <RequirePermission permission={needs}>
          <Screens />
        </RequirePermission>
      </Screen>
    </Frame>
  );
}

function Screens() {
  useEffect(() => {
    for (const part of Object.values(parts)) part().catch(() => {});
  }, []);
  return (
    <Routes>
      <Route path="/analytics" element={<Overview />} />
      <Route path="/analytics/orders" element={<Orders />} />
      <Route path="/analytics/orders/:number" element={<OrderPage />} />
      <Route path="/analytics/products" element={<Products />} />
      <Route path="/analytics/products/:id" element={<ProductPage />} />
      <Route path="/analytics/baskets" element={<Baskets />} />
      <Route path="/analytics/baskets/:id" element={<BasketPage />} />
      <Route path="/analytics/rules" element={<Rules />} />
      <Route path="/analytics/what-if" element={<Trials />} />
      <Route path="/analytics/what-if/:id" element={<TrialPage />} />
      <Route path="/analytics/funnel" element={<Funnel />} />
      <Route path="/analytics/reports" element={<Reports />} />
      <Route path="/analytics/reports/:name" element={<ReportPage />} />
      <Route path="/analytics/take-away" element={<TakeAway />} />
      <Route path="*" element={<Nowhere />} />
    </Routes>
  );
}

function Nowhere() {
  return (
    <>
      <Head title={screenTexts.notFound} />
      <Nothing title={appTexts.noScreen}>{appTexts.chooseAbove}</Nothing>
    </>
  );
}
