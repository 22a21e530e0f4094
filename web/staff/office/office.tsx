import { lazy } from 'react';
import { Route, Routes } from 'react-router';
import { RequirePermission, Screen } from '../app';
import { Frame, type Way } from '../frame';
import { Nothing } from '../parts/parts';
import { appTexts } from '../texts/ru';
import { Keys } from './keys';
import { useLive } from './live';
import { officeTexts } from './texts/ru';
import { Today } from './today/today';

const Orders = lazy(() => import('./orders/orders').then(({ Orders }) => ({ default: Orders })));
const OrderPage = lazy(() => import('./orders/order').then(({ OrderPage }) => ({ default: OrderPage })));

const Notices = lazy(() => import('./notices/notices').then(({ Notices }) => ({ default: Notices })));

const PhoneOrder = lazy(() =>
  import('./phone/phone-order').then(({ PhoneOrder }) => ({ default: PhoneOrder })),
);

const ways: Way[] = [
  { to: '/admin', name: () => officeTexts.today },
  { to: '/admin/orders', name: () => officeTexts.orders, needs: 'orders.see' },
  { to: '/admin/orders/new', name: () => officeTexts.byPhone, needs: 'orders.change' },
  { to: '/admin/notices', name: () => officeTexts.notices },
];

/** The shop as its staff run it: what waits today, and every order. */
export function Office() {
  useLive();
  return (
    <Frame ways={ways}>
      <Keys />
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
            path="/admin/orders/new"
            element={
              <RequirePermission permission="orders.change">
                <PhoneOrder />
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
          <Route path="/admin/notices" element={<Notices />} />
          <Route path="*" element={<Nothing title={appTexts.noScreen}>{appTexts.chooseAbove}</Nothing>} />
        </Routes>
      </Screen>
    </Frame>
  );
}
