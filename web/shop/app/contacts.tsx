import type { Shop } from '../api/types';
import { spoken } from '../design/format';

/** Whose the shop is, and where. */
export function Seller({ shop }: { shop: Shop }) {
  return (
    <>
      <span lang="ru">{[shop.legal_name, shop.registration_number].filter(Boolean).join(', ')}</span>
      <span {...spoken(shop.address, shop.address_kk)} />
    </>
  );
}

/** How shoppers reach the shop: e-mail, telephone, hours. */
export function Contacts({ shop }: { shop: Shop }) {
  return (
    <>
      <a href={`mailto:${shop.email}`}>{shop.email}</a>
      {shop.phone ? <a href={`tel:${shop.phone}`}>{shop.phone}</a> : null}
      {shop.hours ? <span {...spoken(shop.hours, shop.hours_kk)} /> : null}
    </>
  );
}
