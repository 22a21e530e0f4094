import { lazy } from 'react';
import { Route, Routes } from 'react-router';
import { RequirePermission, Screen } from '../app';
import { Frame, type Way } from '../frame';
import { Nothing } from '../parts/parts';
import { appTexts } from '../texts/ru';
import { useLive } from './live';
import { officeTexts } from './texts/ru';
import { Today } from './today/today';

const Orders = lazy(() => import('./orders/orders').then(({ Orders }) => ({ default: Orders })));
const OrderPage = lazy(() => import('./orders/order').then(({ OrderPage }) => ({ default: OrderPage })));

const Payments = lazy(() => import('./payments/payments').then(({ Payments }) => ({ default: Payments })));
const Reconciliation = lazy(() =>
  import('./payments/reconciliation').then(({ Reconciliation }) => ({ default: Reconciliation })),
);

const ways: Way[] = [
  { to: '/admin', name: () => officeTexts.today },
  { to: '/admin/orders', name: () => officeTexts.orders, needs: 'orders.see' },
  { to: '/admin/payments', name: () => officeTexts.payments, needs: 'payments.see' },
];

/** The shop as its staff run it: what waits today, and every order. */
export function Office() {
  useLive();
  return (
    <Frame ways={ways}>
      <Screen>
        <Routes>
          <Route path="/admin" element={<Today />} />
          <Route
            path="/admin/orders"
            element={
              <RequirePermission permission="orders.see">
                <Orders />
              </RequirePermission>
            }
          />
          <Route
            path="/admin/orders/:number"
            element={
              <RequirePermission permission="orders.see">
                <OrderPage />
              </RequirePermission>
            }
          />
          <Route
            path="/admin/payments"
            element={
              <RequirePermission permission="payments.see">
                <Payments />
              </RequirePermission>
            }
          />
          <Route
            path="/admin/payments/reconciliation"
            element={
              <RequirePermission permission="payments.see">
                <Reconciliation />
              </RequirePermission>
            }
          />
          <Route path="*" element={<Nothing title={appTexts.noScreen}>{appTexts.chooseAbove}</Nothing>} />
        </Routes>
      </Screen>
    </Frame>
  );
}
