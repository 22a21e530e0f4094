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

const ways: Way[] = [
  { to: '/admin', name: () => officeTexts.today },
  { to: '/admin/orders', name: () => officeTexts.orders, needs: 'orders.see' },
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
          <Route path="*" element={<Nothing title={appTexts.noScreen}>{appTexts.chooseAbove}</Nothing>} />
        </Routes>
      </Screen>
    </Frame>
  );
}
